// RUN: graph-opt %s --verify-diagnostics --split-input-file

func.func @elided() {
  // expected-error@+1 {{found an elided value, expected its elements: print the module without eliding}}
  %0 = graph.constant dense_resource<__elided__> : tensor<4xf32>
  return
}

// -----

func.func @missing() {
  // expected-error@+1 {{found no data for resource 'weights', expected it in the file's dialect_resources}}
  %0 = graph.constant dense_resource<weights> : tensor<4xf32>
  return
}

// -----

func.func @wrong_size() {
  // expected-error@+1 {{found 8 bytes in resource 'short', expected 16}}
  %0 = graph.constant dense_resource<short> : tensor<4xf32>
  return
}

{-#
  dialect_resources: {
    builtin: {
      short: "0x040000000102030405060708"
    }
  }
#-}

// -----

func.func @sparse() {
  // expected-error@+1 {{found a value that is neither dense nor a resource, expected dense<...> or dense_resource<...>}}
  %0 = graph.constant sparse<[[0]], [1.0]> : tensor<4xf32>
  return
}

// One kernel of every schedule, each a function of its own: for the table of
// resources, for ptxas, and for the counters of the emulated device.
func.func @pointwise(%x: tensor<1048576xf32>, %y: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %0 = graph.mul %x, %y : tensor<1048576xf32>
  %1 = graph.tanh %0 : tensor<1048576xf32>
  return %1 : tensor<1048576xf32>
}
func.func @pointwise_bf16(%x: tensor<262144xbf16>, %y: tensor<262144xbf16>) -> tensor<262144xbf16> {
  %0 = graph.add %x, %y : tensor<262144xbf16>
  return %0 : tensor<262144xbf16>
}
func.func @softmax(%x: tensor<256x1024xf32>) -> tensor<256x1024xf32> {
  %0 = graph.softmax %x dim = 1 : tensor<256x1024xf32>
  return %0 : tensor<256x1024xf32>
}
func.func @softmax_long(%x: tensor<8x32768xf32>) -> tensor<8x32768xf32> {
  %0 = graph.softmax %x dim = 1 : tensor<8x32768xf32>
  return %0 : tensor<8x32768xf32>
}
func.func @layer_norm(%x: tensor<256x768xf32>, %s: tensor<768xf32>, %b: tensor<768xf32>) -> tensor<256x768xf32> {
  %0 = graph.layer_norm %x, %s, %b epsilon = 1.0e-5 : tensor<256x768xf32>, tensor<768xf32>
  return %0 : tensor<256x768xf32>
}
func.func @column_sum(%x: tensor<1024x768xf32>) -> tensor<768xf32> {
  %0 = graph.reduce sum, %x dims = [0] : tensor<1024x768xf32> to tensor<768xf32>
  return %0 : tensor<768xf32>
}
func.func @transpose(%x: tensor<512x768xf32>) -> tensor<768x512xf32> {
  %0 = graph.transpose %x perm = [1, 0] : tensor<512x768xf32> to tensor<768x512xf32>
  return %0 : tensor<768x512xf32>
}
func.func @transpose_bf16(%x: tensor<512x768xbf16>) -> tensor<768x512xbf16> {
  %0 = graph.transpose %x perm = [1, 0] : tensor<512x768xbf16> to tensor<768x512xbf16>
  return %0 : tensor<768x512xbf16>
}
func.func @gather(%table: tensor<1024x256xf32>, %rows: tensor<512xi32>) -> tensor<512x256xf32> {
  %0 = graph.gather fill %table[%rows] : tensor<1024x256xf32>[tensor<512xi32>] to tensor<512x256xf32>
  return %0 : tensor<512x256xf32>
}
func.func @scatter(%table: tensor<1024x256xf32>, %rows: tensor<512xi32>, %updates: tensor<512x256xf32>) -> tensor<1024x256xf32> {
  %0 = graph.scatter_add fill %table[%rows], %updates : tensor<1024x256xf32>[tensor<512xi32>], tensor<512x256xf32> to tensor<1024x256xf32>
  return %0 : tensor<1024x256xf32>
}
func.func @product(%x: tensor<256x256xbf16>, %y: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  %0 = graph.dot %x, %y batch = [] x [] contract = [1] x [0] : (tensor<256x256xbf16>, tensor<256x256xbf16>) to tensor<256x256xbf16>
  return %0 : tensor<256x256xbf16>
}
func.func @product_f32(%x: tensor<256x256xf32>, %y: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = graph.dot %x, %y batch = [] x [] contract = [1] x [1] : (tensor<256x256xf32>, tensor<256x256xf32>) to tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}
func.func @attention(%q: tensor<2x128x64xf32>, %k: tensor<2x128x64xf32>, %v: tensor<2x128x64xf32>) -> (tensor<2x128x64xf32>, tensor<2x128xf32>) {
  %y, %lse = graph.attention causal %q, %k, %v scale = 0.125 : (tensor<2x128x64xf32>, tensor<2x128x64xf32>, tensor<2x128x64xf32>) to tensor<2x128x64xf32>
  return %y, %lse : tensor<2x128x64xf32>, tensor<2x128xf32>
}
func.func @attention_bf16(%q: tensor<2x128x64xbf16>, %k: tensor<2x128x64xbf16>, %v: tensor<2x128x64xbf16>) -> (tensor<2x128x64xbf16>, tensor<2x128xf32>) {
  %y, %lse = graph.attention causal %q, %k, %v scale = 0.125 : (tensor<2x128x64xbf16>, tensor<2x128x64xbf16>, tensor<2x128x64xbf16>) to tensor<2x128x64xbf16>
  return %y, %lse : tensor<2x128x64xbf16>, tensor<2x128xf32>
}
func.func @attention_bf16_wide(%q: tensor<1x128x128xbf16>, %k: tensor<1x128x128xbf16>, %v: tensor<1x128x128xbf16>) -> tensor<1x128x128xbf16> {
  %y, %lse = graph.attention %q, %k, %v scale = 0.0625 : (tensor<1x128x128xbf16>, tensor<1x128x128xbf16>, tensor<1x128x128xbf16>) to tensor<1x128x128xbf16>
  return %y : tensor<1x128x128xbf16>
}
func.func @attention_gradient(%q: tensor<2x64x64xbf16>, %k: tensor<2x64x64xbf16>, %v: tensor<2x64x64xbf16>, %y: tensor<2x64x64xbf16>, %lse: tensor<2x64xf32>, %g: tensor<2x64x64xbf16>) -> (tensor<2x64x64xbf16>, tensor<2x64x64xbf16>, tensor<2x64x64xbf16>) {
  %0:3 = graph.attention_grad causal %q, %k, %v result %y log_sum_exp %lse cotangent %g scale = 0.125 : (tensor<2x64x64xbf16>, tensor<2x64x64xbf16>, tensor<2x64x64xbf16>) to tensor<2x64x64xbf16>
  return %0#0, %0#1, %0#2 : tensor<2x64x64xbf16>, tensor<2x64x64xbf16>, tensor<2x64x64xbf16>
}
func.func @attention_gradient_f32(%q: tensor<1x64x256xf32>, %k: tensor<1x64x256xf32>, %v: tensor<1x64x256xf32>, %y: tensor<1x64x256xf32>, %lse: tensor<1x64xf32>, %g: tensor<1x64x256xf32>) -> (tensor<1x64x256xf32>, tensor<1x64x256xf32>, tensor<1x64x256xf32>) {
  %0:3 = graph.attention_grad %q, %k, %v result %y log_sum_exp %lse cotangent %g scale = 0.0625 : (tensor<1x64x256xf32>, tensor<1x64x256xf32>, tensor<1x64x256xf32>) to tensor<1x64x256xf32>
  return %0#0, %0#1, %0#2 : tensor<1x64x256xf32>, tensor<1x64x256xf32>, tensor<1x64x256xf32>
}
func.func @products(%x: tensor<128x64x64xbf16>, %y: tensor<128x64x128xbf16>) -> tensor<128x64x128xbf16> {
  %0 = graph.dot %x, %y batch = [0] x [0] contract = [2] x [1] : (tensor<128x64x64xbf16>, tensor<128x64x128xbf16>) to tensor<128x64x128xbf16>
  return %0 : tensor<128x64x128xbf16>
}

/* The interface is C: this program is compiled as C and runs a function. */

#include "graphrt/graphrt.h"

#include <stdio.h>

static int fail(grt_status *status) {
  fprintf(stderr, "%s\n", grt_status_get_message(status));
  grt_status_destroy(status);
  return 1;
}

int main(int argc, char **argv) {
  grt_program *program = NULL;
  grt_session *session = NULL;
  grt_tensor *a = NULL, *b = NULL, *c = NULL;
  float as[6] = {1, 2, 3, 4, 5, 6}, bs[6] = {1, 0, 0, 1, 1, 1};
  const int64_t a_shape[2] = {2, 3}, b_shape[2] = {3, 2};
  const grt_tensor *inputs[2];
  uint32_t matmul = 0;
  grt_status *status;
  if (argc != 2)
    return 2;
  if ((status = grt_program_load_file(argv[1], &program)))
    return fail(status);
  if ((status = grt_session_create(program, NULL, &session)))
    return fail(status);
  if ((status = grt_program_find_function(program, "matmul", &matmul)))
    return fail(status);
  grt_program_destroy(program);
  if ((status = grt_tensor_borrow(as, GRT_F32, 2, a_shape, NULL, NULL, &a)) ||
      (status = grt_tensor_borrow(bs, GRT_F32, 2, b_shape, NULL, NULL, &b)))
    return fail(status);
  inputs[0] = a;
  inputs[1] = b;
  if ((status = grt_session_call(session, matmul, inputs, 2, &c, 1)))
    return fail(status);
  const float *result = grt_tensor_get_data(c);
  int ok = result[0] == 4 && result[1] == 5 && result[2] == 10 &&
           result[3] == 11;
  grt_tensor_destroy(a);
  grt_tensor_destroy(b);
  grt_tensor_destroy(c);
  grt_session_destroy(session);
  return ok ? 0 : 1;
}

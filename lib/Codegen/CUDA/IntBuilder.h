//===- IntBuilder.h - Index arithmetic of GPU kernels -----------*- C++ -*-===//
//
// `Int` is an i32 (positions within a block) or an i64 (positions in global
// memory) whose operators emit arith operations and fold constants. Numbers are
// never negative: division and comparison are unsigned.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_LIB_CODEGEN_CUDA_INTBUILDER_H
#define GRAPH_LIB_CODEGEN_CUDA_INTBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace graph::cuda {

class Int {
public:
  /// `value` is an i32, an i64 or an index; the last becomes an i32.
  Int(mlir::ImplicitLocOpBuilder &b, mlir::Value value) : b(&b), value(value) {
    if (value.getType().isIndex())
      this->value =
          b.createOrFold<mlir::arith::IndexCastOp>(b.getI32Type(), value);
  }
  Int(mlir::ImplicitLocOpBuilder &b, int64_t number, unsigned width = 32)
      : b(&b), value(mlir::arith::ConstantOp::create(
                   b, b.getIntegerAttr(b.getIntegerType(width), number))) {}

  mlir::Value getValue() const { return value; }
  operator mlir::Value() const { return value; }

  Int operator+(Int other) const { return emit<mlir::arith::AddIOp>(other); }
  Int operator-(Int other) const { return emit<mlir::arith::SubIOp>(other); }
  Int operator*(Int other) const { return emit<mlir::arith::MulIOp>(other); }
  Int operator/(Int other) const { return emit<mlir::arith::DivUIOp>(other); }
  Int operator%(Int other) const { return emit<mlir::arith::RemUIOp>(other); }
  Int operator&(Int other) const { return emit<mlir::arith::AndIOp>(other); }
  Int operator^(Int other) const { return emit<mlir::arith::XOrIOp>(other); }
  Int operator>>(Int other) const { return emit<mlir::arith::ShRUIOp>(other); }

  Int operator+(int64_t number) const { return *this + like(number); }
  Int operator-(int64_t number) const { return *this - like(number); }
  Int operator*(int64_t number) const { return *this * like(number); }
  Int operator/(int64_t number) const { return *this / like(number); }
  Int operator%(int64_t number) const { return *this % like(number); }
  Int operator&(int64_t number) const { return *this & like(number); }
  Int operator^(int64_t number) const { return *this ^ like(number); }
  Int operator>>(int64_t number) const { return *this >> like(number); }

  /// An i1.
  mlir::Value operator<(Int other) const {
    return compare(mlir::arith::CmpIPredicate::ult, other);
  }
  mlir::Value operator<(int64_t number) const { return *this < like(number); }
  mlir::Value operator==(int64_t number) const {
    return compare(mlir::arith::CmpIPredicate::eq, like(number));
  }

  Int min(Int other) const { return emit<mlir::arith::MinUIOp>(other); }
  Int min(int64_t number) const { return min(like(number)); }

  /// The same number as an i64.
  Int extend() const {
    return {*b, b->createOrFold<mlir::arith::ExtUIOp>(b->getI64Type(), value)};
  }
  /// The same number as an index.
  mlir::Value toIndex() const {
    return b->createOrFold<mlir::arith::IndexCastUIOp>(b->getIndexType(),
                                                       value);
  }

private:
  template <typename OpTy> Int emit(Int other) const {
    return {*b, b->createOrFold<OpTy>(value, other.value)};
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, Int other) const {
    return b->createOrFold<mlir::arith::CmpIOp>(predicate, value, other.value);
  }
  Int like(int64_t number) const {
    return {*b, number, value.getType().getIntOrFloatBitWidth()};
  }

  mlir::ImplicitLocOpBuilder *b;
  mlir::Value value;
};

} // namespace graph::cuda

#endif // GRAPH_LIB_CODEGEN_CUDA_INTBUILDER_H

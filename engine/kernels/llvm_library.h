// The functions of LLVM's C interface that are used, found in the library when it is loaded: nothing that
// runs without compiled functions pays for loading it, and no program has to link it.
#pragma once
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

namespace tapescope::kernels {

// clang-format off
#define TAPESCOPE_LLVM_FUNCTIONS(USE)                                                                       \
  USE(LLVMVectorType) USE(LLVMConstVector) USE(LLVMConstInt) USE(LLVMConstBitCast) USE(LLVMBuildSExt)       \
  USE(LLVMBuildFAdd) USE(LLVMBuildAdd) USE(LLVMBuildFSub) USE(LLVMBuildSub) USE(LLVMBuildFMul)              \
  USE(LLVMBuildMul) USE(LLVMBuildFDiv) USE(LLVMBuildFNeg) USE(LLVMBuildShl) USE(LLVMBuildAShr)              \
  USE(LLVMBuildAnd) USE(LLVMBuildOr) USE(LLVMBuildFCmp) USE(LLVMBuildBitCast) USE(LLVMBuildSelect)          \
  USE(LLVMBuildSIToFP) USE(LLVMBuildFPExt) USE(LLVMBuildFPTrunc) USE(LLVMBuildFPToSI) USE(LLVMBuildTrunc)   \
  USE(LLVMDoubleTypeInContext) USE(LLVMLookupIntrinsicID) USE(LLVMGetIntrinsicDeclaration)                  \
  USE(LLVMBuildCall2) USE(LLVMIntrinsicGetType) USE(LLVMAddFunction) USE(LLVMFunctionType)                  \
  USE(LLVMVoidTypeInContext) USE(LLVMAppendBasicBlockInContext) USE(LLVMPositionBuilderAtEnd)               \
  USE(LLVMGetParam) USE(LLVMBuildBr) USE(LLVMBuildPhi) USE(LLVMAddIncoming) USE(LLVMBuildCondBr)            \
  USE(LLVMBuildICmp) USE(LLVMBuildRetVoid) USE(LLVMAddAttributeAtIndex) USE(LLVMCreateStringAttribute)      \
  USE(LLVMCreateEnumAttribute) USE(LLVMGetEnumAttributeKindForName) USE(LLVMBuildLoad2) USE(LLVMBuildGEP2)  \
  USE(LLVMConstNull) USE(LLVMGetPoison) USE(LLVMBuildInsertElement) USE(LLVMBuildShuffleVector)             \
  USE(LLVMSetAlignment) USE(LLVMBuildZExt) USE(LLVMBuildStore) USE(LLVMInitializeX86TargetInfo)             \
  USE(LLVMInitializeX86Target) USE(LLVMInitializeX86TargetMC) USE(LLVMInitializeX86AsmPrinter)              \
  USE(LLVMOrcCreateLLJIT) USE(LLVMConsumeError) USE(LLVMGetDefaultTargetTriple) USE(LLVMGetHostCPUName)     \
  USE(LLVMGetHostCPUFeatures) USE(LLVMGetTargetFromTriple) USE(LLVMCreateTargetMachine)                     \
  USE(LLVMContextCreate) USE(LLVMModuleCreateWithNameInContext) USE(LLVMCreateTargetDataLayout)             \
  USE(LLVMSetModuleDataLayout) USE(LLVMSetTarget) USE(LLVMCreateBuilderInContext)                           \
  USE(LLVMInt8TypeInContext) USE(LLVMInt32TypeInContext) USE(LLVMInt64TypeInContext)                        \
  USE(LLVMFloatTypeInContext) USE(LLVMPointerTypeInContext) USE(LLVMTargetMachineEmitToMemoryBuffer)        \
  USE(LLVMDisposeBuilder) USE(LLVMDisposeTargetData) USE(LLVMDisposeModule) USE(LLVMContextDispose)         \
  USE(LLVMDisposeTargetMachine) USE(LLVMDisposeMessage) USE(LLVMGetBufferSize) USE(LLVMGetBufferStart)      \
  USE(LLVMGetVersion) USE(LLVMCreateMemoryBufferWithMemoryRangeCopy)                                        \
  USE(LLVMOrcExecutionSessionCreateBareJITDylib) USE(LLVMOrcExecutionSessionLookup)                         \
  USE(LLVMOrcJITDylibClear) USE(LLVMOrcLLJITAddObjectFile) USE(LLVMOrcLLJITGetExecutionSession)             \
  USE(LLVMOrcLLJITMangleAndIntern)
// clang-format on

struct Llvm {
#define TAPESCOPE_DECLARE(name) decltype(&::name) name;
  TAPESCOPE_LLVM_FUNCTIONS(TAPESCOPE_DECLARE)
#undef TAPESCOPE_DECLARE
};

}  // namespace tapescope::kernels

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import loadModule, { type QuickJsModule } from '@jitl/quickjs-wasmfile-release-sync/emscripten-module';
import { QuickJSFFI } from '@jitl/quickjs-wasmfile-release-sync/ffi';

import { prelude } from './prelude.js';
import { takeSnapshot } from './snapshot.js';

/**
 * An instance of QuickJS with one realm. The memory of the instance contains the complete state of the realm, because
 * the realm has no functions of Node.js.
 */
export interface Instance {
  readonly memory: Uint8Array;
  readonly module: QuickJsModule;
  readonly ffi: QuickJSFFI;
  /** A pointer to the context of the realm. */
  readonly context: number;
  /** Pointers to the functions of the prelude. */
  readonly call: number;
  readonly describe: number;
  /** Copies a text into the memory. @returns a pointer, and the length in bytes without the final null character */
  readonly write: (text: string) => Written;
  /** Whether the code has exceeded its steps since the last reset. */
  readonly isExhausted: () => boolean;
  /** Restores the state of the instance before its first call, bit by bit. */
  readonly reset: () => void;
}

export interface Written {
  readonly pointer: number;
  readonly bytes: number;
}

/** The memory that a call can use, in bytes. */
const budgetBytes = 8 * 1024 * 1024;

/**
 * The steps of a call. QuickJS asks `shouldInterrupt` after each 10,000 function calls and loop turns, and code cannot
 * catch the interruption. The number depends on code and event only, unlike a time.
 */
const budgetInterrupts = 20;

/** The limit of the stack in the interpreter, in bytes. The thread has a stack of 16 MB, so this limit comes first. */
const stackBytes = 256 * 1024;

/** The size of the memory in pages of 64 KiB. The build requires 256 pages. An instance cannot grow beyond them. */
const memoryPages = 256;

/** Intrinsics of `QTS_NewContext`: all objects of the standard that the build supports. */
const allIntrinsics = 0xfff;

const wasmFile = fileURLToPath(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'));
let compiled: WebAssembly.Module | null = null;

export async function createInstance(): Promise<Instance> {
  const { module, memory } = await loadInstance();
  const ffi = new QuickJSFFI(module);
  let interrupts = 0;
  module.callbacks = {
    shouldInterrupt: () => {
      interrupts += 1;
      return interrupts > budgetInterrupts ? 1 : 0;
    },
  };
  const write = (text: string): Written => {
    const bytes = Buffer.byteLength(text);
    const pointer = module._malloc(bytes + 1);
    if (pointer === 0) {
      throw new OutOfMemoryError();
    }
    Buffer.from(memory.buffer, pointer, bytes).write(text);
    memory[pointer + bytes] = 0;
    return { pointer, bytes };
  };

  const stackTop = module._malloc(1);
  const runtime = ffi.QTS_NewRuntime();
  ffi.QTS_RuntimeSetMaxStackSize(runtime, stackBytes);
  ffi.QTS_RuntimeEnableInterruptHandler(runtime);
  const context = ffi.QTS_NewContext(runtime, allIntrinsics);
  const source = write(prelude);
  const functions = ffi.QTS_Eval(context, source.pointer, source.bytes, 'prelude.js', 0, 0);
  const error = ffi.QTS_ResolveException(context, functions);
  if (error !== 0) {
    throw new Error(`the prelude has failed: ${module.UTF8ToString(ffi.QTS_GetString(context, error))}`);
  }
  const [call, describe] = [0, 1].map((index) => ffi.QTS_GetPropNumber(context, functions, index));
  const restore = takeSnapshot(module, memory, { stackTop, budgetBytes });
  return {
    memory,
    module,
    ffi,
    context,
    call: call ?? 0,
    describe: describe ?? 0,
    write,
    isExhausted: () => interrupts > budgetInterrupts,
    reset: () => {
      restore();
      interrupts = 0;
    },
  };
}

/** The error of a text that does not fit into the memory of a call. */
export class OutOfMemoryError extends Error {
  override readonly name = 'OutOfMemoryError';
}

/** Loads the program of QuickJS with a memory that cannot grow. */
async function loadInstance(): Promise<{ readonly module: QuickJsModule; readonly memory: Uint8Array }> {
  const wasmMemory = new WebAssembly.Memory({ initial: memoryPages, maximum: memoryPages });
  compiled ??= new WebAssembly.Module(readFileSync(wasmFile));
  const program = compiled;
  const module = await loadModule({
    wasmMemory,
    instantiateWasm: (imports, onSuccess) => {
      const instance = new WebAssembly.Instance(program, imports);
      onSuccess(instance);
      return instance.exports;
    },
    // An assertion of QuickJS writes to the standard error. The failed call reports it.
    print: () => undefined,
    printErr: () => undefined,
  });
  return { module, memory: new Uint8Array(wasmMemory.buffer) };
}

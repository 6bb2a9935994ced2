import type { QuickJsModule } from '@jitl/quickjs-wasmfile-release-sync/emscripten-module';

/**
 * The memory of an instance, with the parts that a call can change:
 *
 * ```
 *   0          ┌───────────────────┐
 *              │ static data       │ copied
 *              ├───────────────────┤
 *              │ stack, downwards  │ its highest 512 KiB are cleared
 *   stack top  ├───────────────────┤
 *              │ heap of the realm │ copied
 *              ├───────────────────┤
 *              │ ballast           │ never written
 *   end        ├───────────────────┤
 *              │ free: 8 MiB       │ cleared as far as the heap has grown
 *              └───────────────────┘
 * ```
 *
 * The ballast limits the memory of a call, because the limit of QuickJS does not stop the growth of texts.
 */
export interface SnapshotOptions {
  /** The lowest address of the heap, directly above the stack. */
  readonly stackTop: number;
  /** The memory that a call can use, in bytes. */
  readonly budgetBytes: number;
}

/** More than the interpreter's own limit of the stack, because native functions exceed it a little. */
const usedStackBytes = 512 * 1024;
const pageBytes = 64 * 1024;
/** The memory manager writes the sizes of neighboring blocks before each block. */
const blockHeaderBytes = 64;

/**
 * Stores the state of an instance.
 * @returns a function that restores the state
 */
export function takeSnapshot(
  module: QuickJsModule,
  memory: Uint8Array,
  options: SnapshotOptions,
): () => void {
  const { stackTop, budgetBytes } = options;
  const stackLow = stackTop - usedStackBytes;
  const { word, free } = findBreak(module, memory, stackTop);
  const words = new Uint32Array(memory.buffer);
  const heapEnd = () => words[word] ?? 0;

  const ballastBytes = memory.length - budgetBytes - free - blockHeaderBytes;
  const ballast = module._malloc(ballastBytes);
  const end = heapEnd();
  if (ballast === 0 || end <= ballast) {
    throw new Error('the memory of the sandbox has another layout than expected');
  }
  const copies = [
    copyOf(memory, 0, endOfStaticData(memory, stackLow)),
    copyOf(memory, stackTop & -pageBytes, ballast + blockHeaderBytes),
    copyOf(memory, ballast + ballastBytes - blockHeaderBytes, end),
  ];
  return () => {
    memory.fill(0, stackLow, stackTop & -pageBytes);
    memory.fill(0, end, heapEnd());
    for (const { start, bytes } of copies) {
      memory.set(bytes, start);
    }
  };
}

function copyOf(memory: Uint8Array, start: number, end: number) {
  return { start, bytes: memory.slice(start, end) };
}

/** The first page without data above address 0. */
function endOfStaticData(memory: Uint8Array, limit: number): number {
  let end = 0;
  while (end < limit && memory.subarray(end, end + pageBytes).some((byte) => byte !== 0)) {
    end += pageBytes;
  }
  // Static data that is zero follows the other static data. It has less than a page.
  return Math.min(end + pageBytes, limit);
}

/**
 * Finds the word of the static data that contains the end of the heap ("program break"), which the build does not
 * export. A large block moves the end beyond the block, and no other word becomes greater.
 * @returns the index of the word, and the address at which the free part of the heap begins
 */
function findBreak(
  module: QuickJsModule,
  memory: Uint8Array,
  stackTop: number,
): { readonly word: number; readonly free: number } {
  const bytes = 1024 * 1024;
  const words = new Uint32Array(memory.buffer, 0, (stackTop - usedStackBytes) >> 2);
  const before = words.slice();
  const block = module._malloc(bytes);
  const changed = [...words.keys()].filter((index) => words[index] !== before[index]);
  const largest = changed.toSorted((one, other) => (words[other] ?? 0) - (words[one] ?? 0))[0];
  module._free(block);
  const value = largest === undefined ? 0 : (words[largest] ?? 0);
  if (largest === undefined || value < block + bytes || value > memory.length) {
    throw new Error('the heap of the sandbox has no end that can be found');
  }
  return { word: largest, free: block };
}

import type { Emit } from './model.js';

/** The generated files of the TypeScript library. */
export const emitTypeScript: Emit = () => [];

import type { Emit } from './model.js';

/** The generated files of the Python library. */
export const emitPython: Emit = () => [];

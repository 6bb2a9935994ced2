import { createOpened } from './opened.js';

/** What this process holds open for all tests of its files. The last hook closes it. */
export const heldOpen = createOpened();

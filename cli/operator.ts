import type { Actor } from '../shared/domain/fact.js';

/** Who makes the changes that are made by this program. */
export const operator: Actor = { type: 'operator', id: null, name: 'postrider' };

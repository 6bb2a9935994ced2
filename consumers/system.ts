import type { Actor } from '../shared/domain/fact.js';

/** Who makes the changes that the service makes by itself. */
export const system: Actor = { type: 'system', id: null, name: 'Postrider' };

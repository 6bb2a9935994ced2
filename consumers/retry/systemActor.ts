import type { Actor } from '../../shared/domain/core/fact.js';

/** Who makes the changes that the service makes by itself. */
export const systemActor: Actor = { type: 'system', id: null, name: 'Postrider' };

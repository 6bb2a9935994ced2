import { accountMutations } from './accountMutations.js';
import { carryingMutations } from './carryingMutations.js';
import { dashboardMutations } from './dashboardMutations.js';
import { disablingMutations } from './disablingMutations.js';
import { documentationMutations } from './documentationMutations.js';
import { domainMutations } from './domainMutations.js';
import { encryptionMutations } from './encryptionMutations.js';
import { engineMutations } from './engineMutations.js';
import { erasureMutations } from './erasureMutations.js';
import { exchangeMutations } from './exchangeMutations.js';
import { expiryMutations } from './expiryMutations.js';
import { foldingMutations } from './foldingMutations.js';
import { idleMutations } from './idleMutations.js';
import { isolationMutations } from './isolationMutations.js';
import { idempotencyMutations } from './idempotencyMutations.js';
import { limitMutations } from './limitMutations.js';
import { listMutations } from './listMutations.js';
import type { Mutation } from './mutation.js';
import { readingMutations } from './readingMutations.js';
import { rebuildMutations } from './rebuildMutations.js';
import { recordFormatMutations } from './recordFormatMutations.js';
import { recordMutations } from './recordMutations.js';
import { replayMutations } from './replayMutations.js';
import { requestMutations } from './requestMutations.js';
import { topicMutations } from './topicMutations.js';
import { shareMutations } from './shareMutations.js';
import { signInMutations } from './signInMutations.js';
import { webhookMutations } from './webhookMutations.js';

/** Every way to break the code that a test must notice, by what it is about. */
export const mutationLists: Readonly<Record<string, readonly Mutation[]>> = {
  account: accountMutations,
  carrying: carryingMutations,
  dashboard: dashboardMutations,
  disabling: disablingMutations,
  documentation: documentationMutations,
  domain: domainMutations,
  encryption: encryptionMutations,
  engine: engineMutations,
  erasure: erasureMutations,
  exchange: exchangeMutations,
  expiry: expiryMutations,
  folding: foldingMutations,
  idempotency: idempotencyMutations,
  idle: idleMutations,
  isolation: isolationMutations,
  limit: limitMutations,
  list: listMutations,
  reading: readingMutations,
  rebuild: rebuildMutations,
  record: recordMutations,
  recordFormat: recordFormatMutations,
  replay: replayMutations,
  request: requestMutations,
  topic: topicMutations,
  share: shareMutations,
  signIn: signInMutations,
  webhook: webhookMutations,
};

import type { Role } from '../api/types.js';

export const roleTexts: readonly (readonly [role: Role, name: string, text: string])[] = [
  ['viewer', 'Viewer', 'A viewer can view events, webhooks and figures.'],
  ['developer', 'Developer', 'A developer can also resend events, and create and change webhooks.'],
  ['owner', 'Owner', 'An owner can also manage API keys and users, and read the audit log.'],
];

export const roleOptions = roleTexts.map(([role, name]) => [role, name] as const);

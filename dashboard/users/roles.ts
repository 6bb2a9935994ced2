import type { Role } from '../api/types.js';

export const roleTexts: readonly (readonly [role: Role, name: string, text: string])[] = [
  ['viewer', 'Viewer', 'Can view events, webhooks and figures.'],
  ['developer', 'Developer', 'Can also resend events, and create and change webhooks.'],
  ['owner', 'Owner', 'Can also manage API keys and users, and read the audit log.'],
];

export const roleOptions = roleTexts.map(([role, name]) => [role, name] as const);

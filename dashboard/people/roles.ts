import type { Role } from '../api/types.js';

export const roleTexts: readonly (readonly [role: Role, name: string, text: string])[] = [
  ['viewer', 'Viewer', 'Sees events, webhooks and figures.'],
  ['developer', 'Developer', 'Also sends events again, and creates and changes webhooks.'],
  ['owner', 'Owner', 'Also manages API keys and people, and reads the audit log.'],
];

export const roleOptions = roleTexts.map(([role, name]) => [role, name] as const);

import { refusal } from '../refusal.js';

export const disabledWebhook = refusal('webhook_disabled', 'The webhook is disabled: enable it first.');

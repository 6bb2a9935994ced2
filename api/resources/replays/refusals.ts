import { apiError } from '../../http/apiError.js';

export const disabledWebhook = apiError('webhook_disabled', 'The webhook is disabled: enable it first.');

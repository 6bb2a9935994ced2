import process from 'node:process';

import { connectionOf, type ConnectionOptions } from '../settings/connection.js';
import { userFolder } from '../settings/userFolder.js';
import { createApiClient, type ApiClient } from './apiClient.js';

/**
 * The client of a command, for its options, the environment and the login of this user.
 * @throws CommandFailure if there is no API key, or a setting has the wrong form
 */
export function clientOf(options: ConnectionOptions): ApiClient {
  return createApiClient(connectionOf(options, process.env, userFolder(process.env)));
}

import type { ClientTrace } from '../shared/domain/fact.js';
import type { ApiContext } from './context.js';
import { networkOfRequest } from './network.js';

/** Longer than the header of any browser. */
const longestUserAgent = 256;

/** Where a request comes from. */
export function clientTraceOf(context: Pick<ApiContext, 'ip' | 'req'>): ClientTrace {
  const userAgent = context.req.headers['user-agent']?.trim() ?? '';
  return {
    network: networkOfRequest(context),
    userAgent: userAgent === '' ? null : userAgent.slice(0, longestUserAgent),
  };
}

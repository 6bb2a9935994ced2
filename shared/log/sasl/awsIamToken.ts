import aws4 from 'aws4';

import type { Token } from './tokenCache.js';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** When the AWS credentials expire. A token that the credentials have signed expires with them. */
  readonly expiration?: Date | undefined;
}

const lifetimeSeconds = 900;
const userAgent = 'postrider';

/**
 * The token that authenticates a client at Amazon MSK. The token is a URL that requests `kafka-cluster:Connect`, signed
 * with Signature Version 4, in base64url. Amazon's signers for SASL OAUTHBEARER create the same token.
 * @param signedAt the Unix time in milliseconds from which the token is valid for 15 minutes
 */
export function signAwsIamToken(region: string, credentials: AwsCredentials, signedAt: number): Token {
  const host = `kafka.${region}.amazonaws.com`;
  const date = new Date(signedAt).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const query = new URLSearchParams({
    Action: 'kafka-cluster:Connect',
    'X-Amz-Date': date,
    'X-Amz-Expires': String(lifetimeSeconds),
  });
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = credentials;
  const { path = '' } = aws4.sign(
    { host, method: 'GET', path: `/?${query.toString()}`, service: 'kafka-cluster', region, signQuery: true },
    { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
  );
  const url = `https://${host}${path}&User-Agent=${userAgent}`;
  const expiresAt = signedAt + lifetimeSeconds * 1000;
  return {
    value: Buffer.from(url).toString('base64url'),
    expiresAt: Math.min(expiresAt, expiration?.getTime() ?? expiresAt),
  };
}

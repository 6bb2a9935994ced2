import { expect } from 'chai';
import kafkajs from 'kafkajs';

import { obtainClientToken } from '../../../../shared/log/sasl/clientCredentials.js';
import { startTokenEndpoint, type TokenEndpoint } from '../../../support/tokenEndpoint.js';

describe('the token of a client credentials grant', () => {
  let endpoint: TokenEndpoint;
  beforeEach(async () => {
    endpoint = await startTokenEndpoint();
  });
  afterEach(() => endpoint.close());

  const obtain = (changes: { clientSecret?: string; tokenEndpoint?: string } = {}) =>
    obtainClientToken(
      {
        mechanism: 'oauthbearer',
        tokenEndpoint: endpoint.url,
        clientId: endpoint.clientId,
        clientSecret: endpoint.clientSecret,
        scope: 'kafka',
        extensions: {},
        ...changes,
      },
      () => 5000,
    );
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => new Error('it did not fail'),
      (error: unknown) => error,
    );

  it('has its time of expiry', async () => {
    endpoint.setLifetime(60);
    const { value, expiresAt } = await obtain();
    expect([value.split('.').length, expiresAt]).to.deep.equal([3, 65_000]);
  });

  it('is not obtained with a wrong secret, and the error names the settings and is final', async () => {
    const error = await failureOf(obtain({ clientSecret: 'other' }));
    expect(error).to.be.instanceOf(kafkajs.KafkaJSNonRetriableError);
    expect(String(error)).to.include(
      'rejected the client credentials: invalid_client, no such client. Check KAFKA_OAUTH_CLIENT_ID, KAFKA_OAUTH_CLIENT_SECRET and KAFKA_OAUTH_SCOPE.',
    );
  });

  it('is requested again if the endpoint fails', async () => {
    endpoint.fail(503, 'overloaded');
    const error = await failureOf(obtain());
    expect(error).to.be.instanceOf(kafkajs.KafkaJSConnectionError);
    expect(String(error)).to.include(`KAFKA_OAUTH_TOKEN_ENDPOINT ${endpoint.url} did not issue a token`);
  });

  it('is requested again if the endpoint is unreachable, and the error says why', async () => {
    const closed = await startTokenEndpoint();
    await closed.close();
    const error = await failureOf(obtain({ tokenEndpoint: closed.url }));
    expect(error).to.be.instanceOf(kafkajs.KafkaJSConnectionError);
    expect(String(error)).to.include('ECONNREFUSED');
  });

  it('is not read from a response that is not JSON', async () => {
    endpoint.fail(200, '<html>');
    expect(await failureOf(obtain())).to.be.instanceOf(kafkajs.KafkaJSConnectionError);
  });
});

import {
  drop,
  removeCall,
  replaceCall,
  replaceCondition,
  replaceName,
  replaceOperator,
  replaceReturn,
  replaceValue,
} from './changes.js';
import type { Mutation } from './mutation.js';

export const dashboardMutations: readonly Mutation[] = [
  {
    file: 'dashboard/api/client.ts',
    function: 'createApi',
    change: removeCall('request.headers.set', 1),
    test: 'test/dashboard/undelivered.browser.ts',
  },
  {
    file: 'dashboard/keys/createKey.tsx',
    function: 'MadeKey',
    change: drop('isDismissible'),
    test: 'test/dashboard/keyboard.browser.ts',
  },
  {
    file: 'dashboard/session/session.ts',
    function: 'useMay',
    change: replaceReturn('true'),
    test: 'test/dashboard/roles.browser.ts',
  },
  {
    file: 'dashboard/api/useAction.ts',
    function: 'useAction.run',
    change: replaceCondition('isUnderWay', 'false'),
    test: 'test/dashboard/badLine.browser.ts',
  },
  {
    file: 'dashboard/api/fetchWithRetries.ts',
    function: 'mayRepeat',
    change: drop('GET'),
    test: 'test/dashboard/badLine.browser.ts',
  },
  {
    file: 'dashboard/components/loadedContent.tsx',
    function: 'LoadedContent',
    change: drop('inert'),
    test: 'test/dashboard/badLine.browser.ts',
  },
  {
    file: 'dashboard/events/eventPage.tsx',
    function: 'EventPage.load.sent.dataText',
    change: replaceValue('JSON.stringify(event)'),
    test: 'test/dashboard/undelivered.browser.ts',
  },
  {
    file: 'dashboard/api/eventStream.ts',
    function: 'followEvents',
    change: replaceCall('pause', '(await new Promise(() => undefined))'),
    test: 'test/dashboard/liveTail.browser.ts',
  },
  {
    file: 'dashboard/events/useLiveEvents.ts',
    function: 'useLiveEvents',
    change: removeCall('abort.abort'),
    test: 'test/dashboard/liveTail.browser.ts',
  },
  {
    file: 'dashboard/components/confirmation.tsx',
    function: 'Confirmation.action',
    change: replaceName('takesAway', 'false'),
    test: 'test/dashboard/safety.browser.ts',
  },
  {
    file: 'dashboard/navigation/usePageHeading.ts',
    function: 'usePageHeading',
    change: replaceOperator('||', '&&'),
    test: 'test/dashboard/longList.browser.ts',
  },
  {
    file: 'dashboard/components/loadedContent.tsx',
    function: 'LoadedContent.lastResponse',
    change: replaceValue('false'),
    test: 'test/dashboard/frozenDatabase.browser.ts',
  },
  {
    file: 'dashboard/webhooks/namesFailure.tsx',
    function: 'NamesFailure',
    change: replaceReturn('null'),
    test: 'test/dashboard/failedRequests.browser.ts',
  },
  {
    file: 'dashboard/events/resendRequest.ts',
    function: 'replayRequest',
    change: replaceCondition('chosen', 'false'),
    test: 'test/dashboard/events/resendRequest.test.ts',
  },
  {
    file: 'dashboard/integration/eventInput.ts',
    function: 'bodyOfEvent',
    change: replaceReturn('JSON.stringify({ type, data: JSON.parse(data) })'),
    test: 'test/dashboard/integration/eventInput.test.ts',
  },
  {
    file: 'dashboard/integration/signatureCheck.ts',
    function: 'withSentLineBreaks',
    change: replaceReturn('body'),
    test: 'test/dashboard/integration/signatureCheck.test.ts',
  },
];

import { testBrokerAway } from '../support/brokerAway.js';

testBrokerAway(12);

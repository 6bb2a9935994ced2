import { sessionUserExample } from '../sessions/examples.js';

/** What the API's description shows. A test checks each against its schema. */

export const userExample = {
  ...sessionUserExample,
  status: 'active',
  created: '2026-11-21T06:46:40.628Z',
  lastSignInAt: '2026-11-21T09:12:31.007Z',
};

export const inviteExample = { email: 'grace@example.com', role: 'developer', name: 'Grace' };

export const invitedUserExample = {
  id: 'usr_01M7YDPVFCXGPKVZ39MTD48GR5',
  ...inviteExample,
  status: 'invited',
  created: '2026-11-21T10:02:11.940Z',
  lastSignInAt: null,
  signInUrl: 'https://postrider.example.com/dashboard/link#token=gIcb-9k2wT15t4UL4KpIHOOeqs6ta56AvpMBJ0nnobw',
};

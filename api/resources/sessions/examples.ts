/** What the API's description shows. A test checks each against its schema. */

export const sessionUserExample = {
  id: 'usr_01M7YDPTQM04NT3X3AX52TZD0R',
  name: 'Ada',
  email: 'ada@example.com',
  role: 'owner',
};

export const csrfTokenExample = 'Uw0mNqgTgE1V7m8l0y7vRzv6mJx0cQzF3kqYJ4yq2bA';

export const sessionExample = {
  user: sessionUserExample,
  account: { id: 'acct_01M7YDPTQM04NT3X3AX52TZD0R', name: 'Shop', plan: 'pro' },
  csrfToken: csrfTokenExample,
};

export const signInExample = { email: sessionUserExample.email, password: 'correct horse battery staple' };

export const useLinkExample = {
  token: 'gIcb-9k2wT15t4UL4KpIHOOeqs6ta56AvpMBJ0nnobw',
  password: signInExample.password,
  name: sessionUserExample.name,
};

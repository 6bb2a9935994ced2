const frame = document.querySelector('iframe');
const status = document.querySelector('[role=status]');
const retryMs = 2000;

/** A new portal session of the customer who is signed in. The server knows who that is. */
async function newSession() {
  const response = await fetch('/portal-session', { method: 'POST' }).catch(() => null);
  if (response?.ok) {
    status.textContent = '';
    return await response.json();
  }
  if (response?.status === 401) {
    document.location.assign('/sign-in.html');
  }
  status.textContent = 'Your webhooks cannot be shown at the moment. Trying again …';
  await new Promise((resolve) => setTimeout(resolve, retryMs));
  return newSession();
}

const { url } = await newSession();
const portalOrigin = new URL(url).origin;

addEventListener('message', async ({ source, origin, data }) => {
  if (source !== frame.contentWindow || origin !== portalOrigin) {
    return;
  }
  if (data.type === 'postrider:resize') {
    frame.style.height = `${data.height}px`;
  }
  if (data.type === 'postrider:session-expired') {
    const { token } = await newSession();
    frame.contentWindow.postMessage({ type: 'postrider:token', token }, portalOrigin);
  }
});

// The token is in the fragment, which browsers send to no server.
frame.src = url;

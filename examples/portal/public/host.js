const frame = document.querySelector('iframe');
const retryMs = 2000;

/** A new session of the customer who is signed in. The server knows who that is. */
async function newSession() {
  try {
    const response = await fetch('/portal-session', { method: 'POST' });
    if (response.ok) {
      return await response.json();
    }
  } catch {
    // The server cannot be reached at the moment.
  }
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

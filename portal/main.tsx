import { render } from 'preact';

import { appearanceIn, applyAppearance } from './appearance/appearance.js';
import { takeToken } from './session/token.js';
import './styles/main.css';
import { Application } from './views.js';

const appearance = appearanceIn(document);
applyAppearance(appearance, document);
// Before the first request, so that no request has an address with the token in it.
const token = takeToken(window);

const page = document.getElementById('portal');
if (page !== null) {
  render(<Application appearance={appearance} token={token} />, page);
}

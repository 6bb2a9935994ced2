import { render } from 'preact';

import { Application } from './application.js';
import { appearanceIn } from './appearance/appearance.js';
import { applyAppearance } from './appearance/applyAppearance.js';
import { takeToken } from './session/token.js';
import './styles/main.css';

const appearance = appearanceIn(document);
applyAppearance(appearance, document);
// Before the first request, so that no request has an address with the token in it.
const token = takeToken(window);

const page = document.getElementById('portal');
if (page !== null) {
  render(<Application appearance={appearance} token={token} />, page);
}

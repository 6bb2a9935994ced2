import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import { render } from 'preact';

import { Application } from './application.js';
import { applyTheme, storedTheme } from './layout/theme.js';
import './styles/main.css';

applyTheme(storedTheme());

const page = document.getElementById('page');
if (page !== null) {
  render(<Application />, page);
}

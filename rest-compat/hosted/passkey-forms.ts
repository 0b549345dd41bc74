import { readFileSync } from 'node:fs';
import type { HostedCall, HostedRoute } from './call.ts';
import { type Html, html } from './html.ts';
import { hidden, type PageScript } from './page.ts';

const path = '/auth/passkeys.js';
const text = readFileSync(new URL('./passkeys.js', import.meta.url), 'utf8');

/** The script that asks the browser for passkeys; of its host's pages only those with one of these forms have it. */
export const passkeyScript = ({ origin }: Pick<HostedCall, 'origin'>): PageScript => ({
  origin,
  path,
  asks: '/auth/passkeys/',
});

export const passkeyScriptRoute: HostedRoute = {
  method: 'GET',
  path,
  run: async () => ({
    status: 200,
    headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'public, max-age=300' },
    body: text,
  }),
};

// Both are hidden until the script finds that the browser knows passkeys; what it says is where it went wrong.
const fault = html`<p class="fault" role="alert" hidden></p>`;

/** Signs in by a passkey. */
export const passkeySignInForm = (back: string): Html => html`<form id="passkey-sign-in" hidden>
${fault}
${hidden('returnTo', back)}
<button class="quiet">Sign in with a passkey</button>
</form>
`;

/** Adds a passkey to the account of who is signed in. */
export const passkeyRegisterForm = html`<form id="passkey-register" hidden>
${fault}
<label for="passkey-label">Name of the new passkey</label>
<input id="passkey-label" name="label" type="text" autocomplete="off" maxlength="100">
<button class="quiet">Add a passkey</button>
</form>
`;

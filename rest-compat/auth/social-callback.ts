import { randomBytes } from 'node:crypto';
import { returnFromProvider, type SocialReturn, socialCallbackName } from '../../resolvers/auth/social-callback.ts';
import type { Route } from '../route.ts';

/** Where providers send browsers back to. What is answered is for a browser: a redirect, or a page in a popup. */
export const socialCallback: Route = {
  method: 'GET',
  path: '/auth/v1/oauth/:provider/callback',
  operation: socialCallbackName,
  status: 302,
  singleUse: true,
  async run(ctx, { params, query }) {
    const returned = await returnFromProvider(ctx, params.provider!, query);
    return returned.mode === 'popup' ? popup(returned) : redirect(returned);
  },
};

/** Neither is kept by anybody, nor told to the next place as where the browser came from. */
const secretHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

const redirect = (returned: SocialReturn) => ({
  status: 302,
  headers: { ...secretHeaders, location: locationOf(returned) },
  body: '',
});

/**
 * The values are in the fragment, which a browser keeps to itself; for the gateway's own page on a project's host they
 * are in the query, since it has to read them. What is there is good once, and with the verifier alone.
 */
function locationOf({ redirectUrl, onOwnHost, values }: SocialReturn): string {
  const url = new URL(redirectUrl);
  if (onOwnHost && /^\/auth\/sign-in\/oauth\/[^/]+\/callback$/.test(url.pathname)) {
    for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
    return url.href;
  }
  url.hash = Object.entries(values)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  return url.href;
}

/**
 * Posts the values to the window that opened this one, if it is of the application's origin: a browser hands them to no
 * other. A window without an opener, or that was cut off from its opener, goes to the application itself.
 */
function popup(returned: SocialReturn) {
  const nonce = randomBytes(16).toString('base64');
  const data = {
    values: returned.values,
    target: new URL(returned.redirectUrl).origin,
    instead: locationOf(returned),
  };
  // A `<` would end the script early.
  const literal = JSON.stringify(data).replaceAll('<', '\\u003c');
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Signing in</title>
<p>You can close this window.</p>
<script nonce="${nonce}">
  const { values, target, instead } = ${literal};
  if (window.opener) {
    window.opener.postMessage(values, target);
    window.close();
  } else window.location.replace(instead);
</script>
</html>
`;
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return {
    status: 200,
    headers: {
      ...secretHeaders,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
    },
    body,
  };
}

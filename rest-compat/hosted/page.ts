import { createHash } from 'node:crypto';
import { type Html, html } from './html.ts';

/** What is sent to a browser, whole. */
export interface HostedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const style = `:root{color-scheme:light dark}
*{box-sizing:border-box}
body{margin:0;font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:30rem;margin:0 auto;padding:2rem 1rem}
h1{font-size:1.5rem}
h2{font-size:1.15rem;margin-top:2rem}
label{display:block;margin-top:.75rem}
input{width:100%;font:inherit;padding:.5rem;border:1px solid #767676;border-radius:.25rem}
button{font:inherit;margin-top:1rem;padding:.5rem 1rem;border:1px solid #1a56c4;border-radius:.25rem;background:#1a56c4;color:#fff;cursor:pointer}
button.quiet{background:transparent;color:inherit;border-color:#767676;margin-top:.25rem}
a{color:inherit}
:focus-visible{outline:3px solid #e8a317;outline-offset:2px}
[role=alert]{border-left:.25rem solid #c4291a;padding:.25rem .75rem}
[role=status]{border-left:.25rem solid #2b7a2b;padding:.25rem .75rem}
ul{padding-left:1.25rem}
dd{margin:0 0 .5rem}`;

const styleHash = createHash('sha256').update(style).digest('base64');

/** Where a page's one script is, if it has one, and the paths below which it asks. */
export interface PageScript {
  readonly origin: string;
  readonly path: string;
  readonly asks: string;
}

/** Nothing but the one style, the host's own forms and the page's own script: no frame around it. */
const policyOf = (script: PageScript | undefined): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    ...(script === undefined
      ? []
      : [`script-src ${script.origin}${script.path}`, `connect-src ${script.origin}${script.asks}`]),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const bare = policyOf(undefined);

/**
 * The referrer is kept within the host, and not withheld altogether: browsers would then send `Origin: null` with its
 * forms.
 */
const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cache-control': 'private, no-store',
  'cross-origin-opener-policy': 'same-origin',
};

/** A page of a project's host. It works without a script. */
export function page(
  status: number,
  title: string,
  body: Html,
  more: Readonly<Record<string, string>> = {},
  script?: PageScript,
): HostedAnswer {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${status < 400 ? title : `Error: ${title}`}</title>
${
  script !== undefined &&
  html`<script src="${script.path}" defer></script>
`
}`;
  // The style is outside the template: its hash is of these very characters.
  const whole = `${text}<style>${style}</style>\n</head>\n<body>\n<main>\n${body.text}\n</main>\n</body>\n</html>\n`;
  const policy = script === undefined ? bare : policyOf(script);
  return { status, headers: { ...pageHeaders, 'content-security-policy': policy, ...more }, body: whole };
}

/** A named field of a form. */
export const field = (
  label: string,
  name: string,
  { type, autocomplete, value = '', pattern, inputmode }: FieldOptions,
): Html => html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}"${pattern !== undefined && html` pattern="${pattern}"`}${inputmode !== undefined && html` inputmode="${inputmode}"`} required>`;

export interface FieldOptions {
  readonly type: 'email' | 'password' | 'text';
  readonly autocomplete: string;
  readonly value?: string | undefined;
  readonly pattern?: string;
  readonly inputmode?: string;
}

export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`;

/** What went wrong. The page begins there: screen readers do not say text that is on a page from the beginning. */
export const alertOf = (message: string | undefined): Html | undefined =>
  message === undefined ? undefined : html`<p role="alert" tabindex="-1" autofocus>${message}</p>`;

/** A moment as people read it, to the minute. */
export const minuteOf = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;
export const momentOf = (iso: string): Html => html`<time datetime="${iso}">${minuteOf(iso)}</time>`;

/**
 * A form of one button.
 *
 * @param about what screen readers say instead of the label, where several buttons of a page are called alike
 */
export const button = (
  action: string,
  label: string,
  csrf: string,
  fields: readonly Html[] = [],
  about?: string,
): Html =>
  html`<form method="post" action="${action}">${fields}${hidden('_csrf', csrf)}<button class="quiet"${about !== undefined && html` aria-label="${about}"`}>${label}</button></form>`;

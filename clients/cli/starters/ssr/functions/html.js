const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Markup that is not escaped again. */
class Markup {
  constructor(text) {
    this.text = text;
  }
}

const shown = (value) => {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(shown).join('');
  return String(value).replace(/[&<>"']/g, (sign) => escapes[sign]);
};

/** Markup with values in it. All but other markup is escaped. */
export const html = (parts, ...values) =>
  new Markup(parts.map((part, at) => part + (at < values.length ? shown(values[at]) : '')).join(''));

/** A whole page. */
export const layout = (title, body) =>
  html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>${title}</title>
    <link rel="icon" href="/icon.svg">
    <link rel="stylesheet" href="/style.css">
  </head>
  <body>
    <header><strong>my-app</strong> <nav><a href="/">Notes</a></nav></header>
    <main>${body}</main>
  </body>
</html>
`.text;

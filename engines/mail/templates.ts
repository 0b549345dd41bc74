import { escapeHtml } from '../../core/escape-html.ts';

export const templateNames = ['project_invite', 'magic_link', 'notification'] as const;

export type TemplateName = (typeof templateNames)[number];

/** Values of a template, by name. */
export type TemplateVariables = Readonly<Record<string, string>>;

/** The variables that each template cannot do without; of a list inside, one suffices. Contract 02, section 6.3. */
const needed: Readonly<Record<TemplateName, readonly (string | readonly string[])[]>> = {
  project_invite: ['project_name', 'invite_url'],
  magic_link: ['project_name', 'expires_in', ['link_url', 'code']],
  notification: ['project_name', 'message'],
};

/** What a template makes of its variables. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The first variable that a template lacks; undefined when it has all. */
export function missingVariable(template: TemplateName, variables: TemplateVariables): string | undefined {
  const has = (name: string) => Object.hasOwn(variables, name) && variables[name]!.trim() !== '';
  const missing = needed[template].find((one) => (typeof one === 'string' ? !has(one) : !one.some(has)));
  return typeof missing === 'object' ? missing.join(' or ') : missing;
}

/** @param variables all that the template needs; others are passed over */
export function renderTemplate(template: TemplateName, variables: TemplateVariables): MailText {
  const value = (name: string) => (Object.hasOwn(variables, name) ? variables[name]! : '');
  const project = value('project_name');
  switch (template) {
    case 'project_invite':
      return mailOf(`You are invited to ${project}`, [
        paragraph(`You are invited to ${project}.`),
        link('Accept the invitation', value('invite_url')),
      ]);
    case 'magic_link':
      return mailOf(`Sign in to ${project}`, [
        paragraph(`Use this to sign in to ${project}. It is good for ${value('expires_in')}, and once.`),
        ...(value('link_url') === '' ? [] : [link('Sign in', value('link_url'))]),
        ...(value('code') === '' ? [] : [code(value('code'))]),
        paragraph('If you did not ask for this, leave it alone: nobody is signed in without it.'),
      ]);
    case 'notification':
      return mailOf(`A message from ${project}`, [paragraph(value('message'))]);
  }
}

interface Part {
  readonly text: string;
  readonly html: string;
}

const paragraph = (words: string): Part => ({
  text: words,
  html: `<p style="margin:0 0 16px">${escapeHtml(words).replaceAll('\n', '<br>')}</p>`,
});

/** Only addresses of the web become links; anything else is shown as text. */
function link(words: string, url: string): Part {
  const shown = escapeHtml(url);
  if (!/^https?:\/\//i.test(url)) return { text: `${words}: ${url}`, html: `<p style="margin:0 0 16px">${shown}</p>` };
  return {
    text: `${words}:\n${url}`,
    html: `<p style="margin:0 0 16px"><a href="${shown}">${escapeHtml(words)}</a></p>`,
  };
}

const code = (digits: string): Part => ({
  text: `Code: ${digits}`,
  html: `<p style="margin:0 0 16px;font-size:24px;letter-spacing:4px"><strong>${escapeHtml(digits)}</strong></p>`,
});

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim().slice(0, 200);

const mailOf = (subject: string, parts: readonly Part[]): MailText => ({
  subject: oneLine(subject),
  text: parts.map(({ text }) => text).join('\n\n'),
  html: `<!doctype html><html><body style="font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;max-width:560px;margin:24px auto;padding:0 16px">${parts
    .map(({ html }) => html)
    .join('')}</body></html>`,
});

import { escapeHtml } from '../../core/escape-html.ts';
import type { MailText } from '../../engines/mail/templates.ts';
import type { Mailbox } from './mailbox.ts';

/** A mail with the footer that its mailbox has. Contract 02, section 6.2. */
export function withFooter(
  { subject, text, html }: MailText,
  { effectiveFooterPolicy }: Pick<Mailbox, 'effectiveFooterPolicy'>,
  platformDomain: string,
): MailText {
  if (effectiveFooterPolicy === 'none') return { subject, text, html };
  const words = `An application on ${platformDomain} sent this mail.`;
  const block = `<p style="margin:24px 0 0;font-size:12px;color:#666">${escapeHtml(words)}</p>`;
  const end = html.search(/<\/body\s*>/i);
  return {
    subject,
    text: `${text}\n\n-- \n${words}`,
    html: end < 0 ? `${html}${block}` : `${html.slice(0, end)}${block}${html.slice(end)}`,
  };
}

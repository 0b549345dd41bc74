import './markdown.css';
import MarkdownIt, { type Token } from 'markdown-it';
import { createElement, Fragment, memo, type ReactNode } from 'react';

const parser = new MarkdownIt({ html: false, linkify: true, breaks: true });
// Without a scheme, `main.rs` and `ada@example.com` are not links.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false }).add('ftp:', null).add('//', null);

/** A text with more tokens than this is shown as plain text: a short table can expand to a hundred thousand cells. */
const partsMax = 5_000;

/** Tokens that become an element of their own name. Every other token has a case below, or remains text. */
const plainElements: ReadonlySet<string> = new Set([
  'p',
  'ul',
  'ol',
  'li',
  'blockquote',
  'strong',
  'em',
  's',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
]);

const linkProtocols: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

interface MarkdownProps {
  /** Untrusted: neither its HTML nor its images reach the page. */
  readonly text: string;
}

/**
 * Renders Markdown as elements. It makes them from the parser's tokens by an allow-list and writes no HTML, so a text
 * cannot inject markup.
 */
export const Markdown = memo(({ text }: MarkdownProps) => {
  const tokens = parser.parse(text, {});
  const parts = tokens.reduce((sum, { children }) => sum + 1 + (children?.length ?? 0), 0);
  if (parts > partsMax) return <div className="markdown as-written">{text}</div>;
  return createElement('div', { className: 'markdown' }, ...elementsOf(tokens, false));
});

/** @param linked whether the tokens are inside a link, which cannot contain another link */
function elementsOf(tokens: readonly Token[], linked: boolean): ReactNode[] {
  const open: { readonly token: Token | undefined; readonly made: ReactNode[] }[] = [{ token: undefined, made: [] }];
  for (const token of tokens) {
    if (token.nesting === 1) {
      open.push({ token, made: [] });
      continue;
    }
    const closed = token.nesting === -1 ? open.pop() : undefined;
    const inLink = linked || open.some((one) => one.token?.type === 'link_open');
    open
      .at(-1)!
      .made.push(closed?.token === undefined ? leafOf(token, inLink) : elementOf(closed.token, closed.made, inLink));
  }
  return open[0]!.made;
}

function elementOf(token: Token, made: readonly ReactNode[], inLink: boolean): ReactNode {
  const { type, tag, hidden } = token;
  if (type === 'link_open') return inLink ? made : linkTo(String(token.attrGet('href')), made);
  // Headings of a message are not headings of the page.
  if (type === 'heading_open') return createElement('p', null, createElement('strong', null, ...made));
  if (type === 'table_open')
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls has to be reached by key.
      // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, and a region for each table is too many.
      <div className="markdown-table" role="group" tabIndex={0} aria-label="Table">
        {createElement('table', null, ...made)}
      </div>
    );
  if (hidden || !plainElements.has(tag)) return createElement(Fragment, null, ...made);
  return createElement(tag, tag === 'ol' ? { start: Number(token.attrGet('start') ?? 1) } : null, ...made);
}

function leafOf(token: Token, inLink: boolean): ReactNode {
  switch (token.type) {
    case 'inline':
      return createElement(Fragment, null, ...elementsOf(token.children ?? [], inLink));
    case 'softbreak':
    case 'hardbreak':
      return <br />;
    case 'hr':
      return <hr />;
    case 'code_inline':
      return <code>{token.content}</code>;
    case 'code_block':
    case 'fence':
      return (
        <pre>
          <code>{token.content.replace(/\n$/, '')}</code>
        </pre>
      );
    case 'image': {
      // A remote image would tell its server who reads the message and when.
      const address = String(token.attrGet('src'));
      const words = token.content || address;
      return inLink ? words : linkTo(address, [words]);
    }
    default:
      return token.content;
  }
}

/** A link to another site. An address with another scheme shows only its text. */
function linkTo(address: string, made: readonly ReactNode[]): ReactNode {
  if (!URL.canParse(address) || !linkProtocols.has(new URL(address).protocol))
    return createElement(Fragment, null, ...made);
  const props = { href: address, title: address, target: '_blank', rel: 'noopener noreferrer nofollow' };
  return createElement('a', props, ...made);
}

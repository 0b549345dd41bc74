import { isUtf8 } from 'node:buffer';
import PostalMime, { addressParser, type Email } from 'postal-mime';
import { textOfHtml } from '../html-text.ts';
import { asUtf8Lines, guessText, headerText } from './guess-text.ts';
import { replyText } from './reply-text.ts';
import { deliveryReport, feedbackReport, type MailReport } from './reports.ts';

/** Why a mail cannot be read. */
export type MailFault = 'too_many_lines' | 'too_many_parts' | 'too_deep' | 'headers_too_large' | 'unreadable';

/** A mail that cannot be read: the sender is told. */
export class UnreadableMailError extends Error {
  override readonly name = 'UnreadableMailError';
  readonly fault: MailFault;

  constructor(fault: MailFault) {
    super(`The mail cannot be read: ${fault}.`);
    this.fault = fault;
  }
}

/** A file that a mail carries. */
export interface CarriedFile {
  readonly filename: string;
  readonly content_type: string;
  readonly size_bytes: number;
}

/** A mail as people and programs see it. No text holds a NUL. */
export interface ReadMail {
  /** `Message-ID`, without its brackets; null where there is none. */
  readonly messageId: string | null;
  /** What it says to answer, and the thread before it, the latest last. */
  readonly inReplyTo: readonly string[];
  readonly references: readonly string[];
  readonly from: { readonly address: string; readonly name: string | null } | null;
  /** Empty where there is none. */
  readonly subject: string;
  /** What its writer wrote, without what they answered. */
  readonly text: string;
  readonly html: string | null;
  readonly files: readonly CarriedFile[];
  /** Whether a program sent it: no person has answered. */
  readonly isAutomatic: boolean;
  readonly report: MailReport | null;
}

/**
 * Bounds of one mail. 250,000 lines are more than 10 MiB of base64 have. The parser keeps something of each line: without a bound
 * it would take all memory, and a thread that has none left may take the process along.
 */
const limits = {
  lines: 250_000,
  parts: 10_000,
  depth: 64,
  headerBytes: 2 * 1024 * 1024,
  files: 100,
  /** What is looked at of a body for its text: of that, 10,000 characters are kept. */
  bodyBytes: 256 * 1024,
  htmlBytes: 1024 * 1024,
  ids: 50,
};

const unread: Readonly<Record<string, MailFault>> = { nesting: 'too_deep', header: 'headers_too_large' };

/** A part of a mail, as the parser has it. */
interface Node {
  readonly childNodes: readonly Node[];
  readonly contentType: { readonly parsed: Structured };
  readonly contentDisposition: { readonly parsed: Structured };
  /** Decoded bytes; null for what has parts itself. */
  readonly content: ArrayBuffer | null;
}

interface Structured {
  readonly value: string;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * What is used of the parser beside what it declares: bytes of texts, of which it knows one way to read them, and each line as it
 * comes, to count. Its version is fixed, and `test/mailboxes/hostile-mail.full.test.ts` fails where these are not there.
 */
interface Inside {
  readonly root: Node;
  readonly currentNode: Node;
  processLine: (line: Uint8Array<ArrayBuffer>, isFinal: boolean) => Promise<void>;
}

/** A parser that takes so many lines and parts, and no more. */
function boundedParser(): PostalMime & Inside {
  const parser = new PostalMime({
    forceRfc822Attachments: true,
    maxNestingDepth: limits.depth,
    maxHeadersSize: limits.headerBytes,
  }) as PostalMime & Inside;
  const processLine = parser.processLine.bind(parser);
  let lines = 0;
  let parts = 1;
  parser.processLine = async (line, isFinal) => {
    lines += 1;
    if (lines > limits.lines) throw new UnreadableMailError('too_many_lines');
    const before = parser.currentNode;
    await processLine(line, isFinal);
    if (parser.currentNode === before) return;
    parts += 1;
    if (parts > limits.parts) throw new UnreadableMailError('too_many_parts');
  };
  return parser;
}

/** Every part, in the order of the mail; not by recursion. */
function partsOf(root: Node): Node[] {
  const found: Node[] = [];
  const open: Node[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    found.push(next);
    for (const child of next.childNodes.toReversed()) open.push(child);
  }
  return found;
}

/**
 * Reads a mail of a stranger, within bounds. Bytes that are in no order are read as far as they can be.
 *
 * @throws UnreadableMailError
 */
export async function readMail(raw: Buffer): Promise<ReadMail> {
  const parser = boundedParser();
  let email: Email;
  try {
    email = await parser.parse(withUtf8Headers(raw));
  } catch (error) {
    if (error instanceof UnreadableMailError) throw error;
    const words = error instanceof Error ? error.message : '';
    const known = Object.keys(unread).find((word) => words.includes(word));
    throw new UnreadableMailError(known === undefined ? 'unreadable' : unread[known]!);
  }
  const parts = partsOf(parser.root);
  const plain = bodyOf(parts, 'text/plain', limits.bodyBytes);
  const html = bodyOf(parts, 'text/html', limits.htmlBytes + 1);
  const header = (name: string): string | undefined => email.headers.find(({ key }) => key === name)?.value;
  return {
    messageId: idsIn(header('message-id')).at(0) ?? null,
    inReplyTo: idsIn(header('in-reply-to')),
    references: idsIn(header('references')),
    from: senderIn(header('from')) ?? senderIn(header('sender')) ?? null,
    subject: headerText(email.subject ?? '')
      .slice(0, 998)
      .toWellFormed(),
    text: replyText(plain === '' ? textOfHtml(html.slice(0, limits.bodyBytes)) : plain).toWellFormed(),
    html: html === '' || html.length > limits.htmlBytes ? null : html.toWellFormed(),
    files: email.attachments.slice(0, limits.files).map(
      ({ filename, mimeType, content }): CarriedFile => ({
        filename: nameOf(filename),
        content_type: headerText(mimeType).slice(0, 255) || 'application/octet-stream',
        size_bytes: typeof content === 'string' ? content.length : content.byteLength,
      }),
    ),
    isAutomatic: isAutomatic(header),
    report: reportOf(parts),
  };
}

function withUtf8Headers(raw: Buffer): Buffer {
  const end = raw.indexOf('\r\n\r\n');
  if (end < 0) return asUtf8Lines(raw);
  const head = raw.subarray(0, end);
  const known = asUtf8Lines(head);
  return known === head ? raw : Buffer.concat([known, raw.subarray(end)]);
}

/** The bodies of one kind that are no files, one after the other, of so many bytes at most. */
function bodyOf(parts: readonly Node[], type: string, most: number): string {
  const texts: string[] = [];
  let left = most;
  for (const { contentType, contentDisposition, content } of parts) {
    if (left === 0) break;
    if (content === null || contentType.parsed.value !== type) continue;
    if (contentDisposition.parsed.value === 'attachment') continue;
    const bytes = new Uint8Array(content).subarray(0, left);
    left -= bytes.length;
    texts.push(guessText(whole(bytes), contentType.parsed.params.charset));
  }
  return texts.join('\n');
}

/** Without the beginning of a UTF-8 character that was cut off at the end. */
function whole(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 3 && (bytes[end - 1]! & 0xc0) === 0x80) end -= 1;
  return end > 0 && bytes[end - 1]! >= 0xc0 && !isUtf8(bytes.subarray(end - 1)) ? bytes.subarray(0, end - 1) : bytes;
}

const idsIn = (value: string | undefined): string[] =>
  [...(value ?? '').slice(0, 100_000).matchAll(/<([^<>\s]{1,998})>/g)]
    .map(([, id]) => id!.replaceAll('\0', '').toWellFormed())
    .slice(-limits.ids);

function senderIn(value: string | undefined): ReadMail['from'] | undefined {
  if (value === undefined) return undefined;
  const [first] = addressParser(value.slice(0, 10_000), { flatten: true });
  const address = headerText(first?.address ?? '');
  if (address.length > 320 || !/^[^\s@]+@[^\s@]+$/.test(address)) return undefined;
  return {
    address: address.toWellFormed(),
    name:
      headerText(first?.name ?? '')
        .slice(0, 255)
        .toWellFormed() || null,
  };
}

/** What is left of a path: a name on one line. */
const nameOf = (name: string | null): string =>
  headerText((name ?? '').split(/[/\\]/).at(-1) ?? '')
    .replaceAll(/\p{Cf}/gu, '')
    .slice(0, 255)
    .toWellFormed() || 'attachment';

/** RFC 3834, and what older programs write. */
function isAutomatic(header: (name: string) => string | undefined): boolean {
  const submitted = header('auto-submitted');
  if (submitted !== undefined && !/^\s*no\b/i.test(submitted)) return true;
  if (/^\s*(bulk|junk|list|auto_reply)\b/i.test(header('precedence') ?? '')) return true;
  return header('x-autoreply') !== undefined || header('x-autorespond') !== undefined;
}

function reportOf(parts: readonly Node[]): MailReport | null {
  const textIn = (...types: readonly string[]): string | undefined => {
    const found = parts.find(
      ({ contentType, content }) => content !== null && types.includes(contentType.parsed.value),
    );
    return found === undefined ? undefined : guessText(new Uint8Array(found.content!).subarray(0, 65_536), undefined);
  };
  const original = textIn('message/rfc822', 'text/rfc822-headers', 'message/rfc822-headers', 'message/global') ?? '';
  const feedback = textIn('message/feedback-report');
  if (feedback !== undefined) return feedbackReport(feedback, original);
  const delivery = textIn('message/delivery-status', 'message/global-delivery-status');
  return delivery === undefined ? null : deliveryReport(delivery, original);
}

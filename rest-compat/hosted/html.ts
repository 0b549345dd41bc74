import { escapeHtml } from '../../core/escape-html.ts';

/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | null | undefined | false | readonly Piece[];

function textOf(piece: Piece): string {
  if (piece === null || piece === undefined || piece === false) return '';
  if (piece instanceof Html) return piece.text;
  if (Array.isArray(piece)) return piece.map(textOf).join('');
  return escapeHtml(String(piece));
}

/** Writes HTML: whatever is put in is shown as it is, unless it is HTML itself. Attributes need their quotes. */
export const html = (parts: TemplateStringsArray, ...pieces: readonly Piece[]): Html =>
  new Html(parts.map((part, at) => part + (at < pieces.length ? textOf(pieces[at]) : '')).join(''));

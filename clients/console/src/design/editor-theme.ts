import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The look of editors. Its colours are the tokens of the design, so that it follows the theme of the page. */
const look = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', height: '100%', minHeight: 'inherit' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    fontVariantLigatures: 'none',
    lineHeight: '1.5',
    maxHeight: 'var(--editor-height, 60vh)',
    minHeight: 'inherit',
  },
  '.cm-content': { padding: '0.5rem 0', caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-line': { padding: '0 0.75rem 0 0.5rem' },
  '.cm-gutters': { color: 'var(--quiet)', backgroundColor: 'transparent', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 0.4rem 0 0.75rem', minWidth: '2.4rem' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '.cm-activeLineGutter': { color: 'var(--text)', backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'var(--hover)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'light-dark(#cfdcff, #2b3d6e)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'transparent',
    outline: '1px solid var(--line-strong)',
  },
  '.cm-placeholder': { color: 'var(--quiet)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-faint)', outline: '1px solid var(--warn)' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    boxShadow: 'var(--shadow-over)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', padding: '0.25rem', maxHeight: '16rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.15rem 0.5rem', borderRadius: '0.3rem' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-faint)', color: 'var(--accent)' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': { color: 'var(--quiet)', fontStyle: 'normal' },
  '.cm-diagnostic': { fontFamily: 'var(--sans)', padding: '0.3rem 0.6rem' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)', fontFamily: 'var(--sans)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel input, .cm-panel button': {
    font: 'inherit',
    color: 'var(--text)',
    background: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: '0.3rem',
  },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--series-2)' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--series-3)' },
  { tag: [tags.propertyName, tags.attributeName], color: 'var(--series-4)' },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

/** The look of editors, and of the words of each language. */
export const editorTheme: Extension = [look, syntaxHighlighting(colours)];

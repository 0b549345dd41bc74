import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { lintKeymap, setDiagnostics } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { Annotation, Compartment, EditorState, type Extension, Prec } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder as placeholderOf,
} from '@codemirror/view';
import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import { languageOf } from './editor-language.ts';
import type { CodeEditorProps, EditorFault } from './editor-props.ts';
import { replaceTyped } from './editor-replace.ts';
import { editorTheme } from './editor-theme.ts';

/** Marks a change that the page made, of which it need not hear. */
const fromPage = Annotation.define<boolean>();

/**
 * The editor itself. It lives in a shadow root: there CodeMirror adopts its styles as sheets, and adds no style element,
 * which the page's Content-Security-Policy would refuse.
 */
export function CodeEditor(props: CodeEditorProps) {
  const { label, language, value, onRun, faults, reveal, isReadOnly = false, placeholder = '' } = props;
  const { tables, schema, lines = 6 } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const parts = useRef({ language: new Compartment(), access: new Compartment(), name: new Compartment() });
  /** Texts that were told of, and have not come back as the value yet. */
  const told = useRef<string[]>([]);
  const onEdit = useEffectEvent((text: string) => {
    if (props.onChange === undefined) return;
    told.current.push(text);
    // At once: Ctrl+Enter may be the next key, and runs what the page holds.
    flushSync(() => props.onChange?.(text));
  });
  const onAsk = useEffectEvent((selected: string, from: number) => onRun?.(selected, from));
  const onSelected = useEffectEvent((selected: string, from: number) => props.onSelect?.(selected, from));
  const isBad = (faults?.length ?? 0) > 0;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once; the effects below bring it up to date.
  useLayoutEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' });
    const { begins } = props;
    const run = (target: EditorView) => {
      const { from, to } = target.state.selection.main;
      // Completions that are under way would come up above a question that the run asks.
      closeCompletion(target);
      onAsk(target.state.sliceDoc(from, to), from);
      return true;
    };
    const own: Extension[] = [
      onRun === undefined ? [] : Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
      Prec.high(
        keymap.of([
          { key: 'Tab', run: acceptCompletion },
          // The dialog around it stays open.
          { key: 'Escape', run: closeCompletion, stopPropagation: true },
        ]),
      ),
      parts.current.language.of([]),
      parts.current.access.of([]),
      parts.current.name.of([]),
      placeholderOf(placeholder),
      EditorView.updateListener.of((update) => {
        if (update.docChanged && !update.transactions.some((one) => one.annotation(fromPage)))
          onEdit(update.state.doc.toString());
        if (update.selectionSet || update.docChanged) {
          const { from, to } = update.state.selection.main;
          onSelected(update.state.sliceDoc(from, to), from);
        }
      }),
    ];
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({ doc: value, extensions: [own, standard] }),
    });
    view.current = made;
    if (begins !== undefined) {
      made.dispatch({ selection: { anchor: begins.from, head: begins.to } });
      made.focus();
    }
    return () => {
      made.destroy();
      view.current = undefined;
    };
  }, []);

  useEffect(() => {
    let ended = false;
    languageOf(language, tables, schema).then(
      (extension) => {
        if (!ended) view.current?.dispatch({ effects: parts.current.language.reconfigure(extension) });
      },
      // The text is edited without its colours then.
      () => undefined,
    );
    return () => {
      ended = true;
    };
  }, [language, tables, schema]);

  useEffect(() => {
    const access = isReadOnly ? EditorState.readOnly.of(true) : [];
    view.current?.dispatch({ effects: parts.current.access.reconfigure(access) });
  }, [isReadOnly]);

  useEffect(() => {
    const attributes = EditorView.contentAttributes.of({
      'aria-label': label,
      ...(isBad ? { 'aria-invalid': 'true' } : {}),
      ...(isReadOnly ? { 'aria-readonly': 'true' } : {}),
    });
    view.current?.dispatch({ effects: parts.current.name.reconfigure(attributes) });
  }, [label, isBad, isReadOnly]);

  useEffect(() => {
    const { current } = view;
    // A text that comes back while the next one is typed is no change of the page's.
    const at = told.current.lastIndexOf(value);
    told.current = at === -1 ? [] : told.current.slice(at + 1);
    if (current === undefined || at !== -1 || current.state.doc.toString() === value) return;
    const { anchor, head } = current.state.selection.main;
    // An end of a line may be two characters of the value, and is one here.
    const insert = current.state.toText(value);
    const changes = { from: 0, to: current.state.doc.length, insert };
    // Mapped through the change, a selection of the whole text would end before it begins.
    const selection = { anchor: Math.min(anchor, insert.length), head: Math.min(head, insert.length) };
    current.dispatch({ changes, selection, annotations: fromPage.of(true) });
  }, [value]);

  useEffect(() => {
    const { current } = view;
    if (current !== undefined) current.dispatch(setDiagnostics(current.state, diagnosticsOf(current, faults ?? [])));
  }, [faults]);

  useEffect(() => {
    const { current } = view;
    if (current === undefined || reveal === undefined) return;
    const at = Math.min(reveal.at, current.state.doc.length);
    current.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
    current.focus();
  }, [reveal]);

  return <div ref={host} className="editor" style={{ minHeight: `calc(${lines} * 1.5em + 1rem)` }} />;
}

/** A fault without an end marks its word, or one character where there is none. */
function diagnosticsOf({ state }: EditorView, faults: readonly EditorFault[]) {
  const { length } = state.doc;
  return faults.map(({ from, to, message }) => {
    const start = Math.min(from, length);
    const end = Math.min(to ?? state.wordAt(start)?.to ?? start + 1, length);
    return { from: Math.min(start, Math.max(0, end - 1)), to: end, severity: 'error' as const, message };
  });
}

const standard: Extension = [
  lineNumbers(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  replaceTyped,
  autocompletion({ icons: false }),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  search({ top: true }),
  EditorState.tabSize.of(2),
  EditorView.lineWrapping,
  editorTheme,
  keymap.of([
    ...closeBracketsKeymap,
    ...defaultKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...completionKeymap,
    ...lintKeymap,
  ]),
];

import { type ComponentType, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { isReplaced, loadCode } from '../load-code.ts';
import type { CodeEditorProps, EditorProps } from './editor-props.ts';

/** Kept between editors: the second one is there at once. */
let Loaded: ComponentType<CodeEditorProps> | undefined;

/** The longest line that the editor lays out in a moment, in UTF-16 units. A longer one would stop the page. */
const hugeLine = 20_000;

const hasHugeLine = (text: string): boolean =>
  text.length > hugeLine && text.split('\n').some(({ length }) => length > hugeLine);

/** How long a failed load waits before it is tried again, in milliseconds. */
const retryMs = 2_000;

/**
 * An editor of code: highlighted, with completion, line numbers, and faults at their places. Tab leaves it, unless a list of
 * completions is open. Its code is loaded with the first editor; until then, while it cannot be loaded, and for lines
 * of a megabyte, a plain field takes the text.
 */
export function Editor(props: EditorProps) {
  const { label, value, onChange, onRun, reveal, isReadOnly = false, placeholder, lines = 6 } = props;
  const [Code, setCode] = useState(() => Loaded);
  const isHuge = hasHugeLine(value);
  const plain = useRef<HTMLTextAreaElement>(null);
  const begins = useRef<CodeEditorProps['begins']>(undefined);

  useEffect(() => {
    let ended = false;
    let timer: ReturnType<typeof setTimeout>;
    const load = async () => {
      try {
        const { CodeEditor } = await loadCode(() => import('./code-editor.tsx'));
        Loaded = CodeEditor;
        if (ended) return;
        const field = plain.current;
        if (field !== null && field === document.activeElement)
          begins.current = { from: field.selectionStart, to: field.selectionEnd };
        // At once, so that no key is lost between the two.
        flushSync(() => setCode(() => CodeEditor));
      } catch {
        // Code of a build that is gone does not come back; the frame says so.
        if (!ended && !isReplaced.get()) timer = setTimeout(() => void load(), retryMs);
      }
    };
    if (Loaded === undefined) void load();
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, []);

  const isPlain = Code === undefined || isHuge;
  useEffect(() => {
    if (!isPlain || reveal === undefined) return;
    plain.current?.focus();
    plain.current?.setSelectionRange(reveal.at, reveal.at);
  }, [isPlain, reveal]);

  if (!isPlain) return <Code {...props} begins={begins.current} />;
  return (
    <textarea
      ref={plain}
      className="editor-plain"
      aria-label={label}
      rows={lines}
      value={value}
      readOnly={isReadOnly}
      placeholder={placeholder}
      spellCheck={false}
      onChange={(event) => onChange?.(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || onRun === undefined) return;
        event.preventDefault();
        const { selectionStart, selectionEnd } = event.currentTarget;
        onRun(value.slice(selectionStart, selectionEnd), selectionStart);
      }}
    />
  );
}

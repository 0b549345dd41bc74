import { type KeyboardEvent, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Popover } from 'react-aria-components/Popover';
import { Button } from './button.tsx';
import { Confirm } from './confirm.tsx';
import { Editor } from './editor.tsx';
import type { GridEdit } from './grid-types.ts';
import { Skeleton } from './status.tsx';

/**
 * Where the focus goes when an editor has ended: to the cell below, to the next one, back to this one, or where it is now,
 * since the user has pressed something else.
 */
export type EditNext = 'below' | 'beside' | 'here' | 'elsewhere';

export interface CellEditorProps {
  /** Names the cell. */
  readonly label: string;
  readonly edit: GridEdit;
  readonly value: string | null;
  /** The character that began the editing, which takes the place of the value. */
  readonly typed: string | undefined;
  readonly commit: (value: string | null, next: EditNext) => void;
  readonly cancel: () => void;
}

/** The editor of a cell, by the kind of its column. */
export function CellEditor(props: CellEditorProps) {
  const { kind } = props.edit;
  // An editor that gives the focus back is blurred by that. It ends once.
  const isOver = useRef(false);
  const once = (act: () => void) => {
    if (isOver.current) return;
    isOver.current = true;
    act();
  };
  const own: CellEditorProps = {
    ...props,
    commit: (value, next) => once(() => props.commit(value, next)),
    cancel: () => once(props.cancel),
  };
  return kind === 'boolean' || kind === 'choice' ? <ChoiceEditor {...own} /> : <LineEditor {...own} />;
}

const nullOption = ' null';

function ChoiceEditor({ label, edit, value, commit, cancel }: CellEditorProps) {
  const select = useRef<HTMLSelectElement>(null);
  useLayoutEffect(() => select.current!.focus(), []);
  const options = edit.kind === 'boolean' ? ['true', 'false'] : (edit.options ?? []);
  const chosen = () => (select.current!.value === nullOption ? null : select.current!.value);
  return (
    <select
      ref={select}
      className="grid-input"
      aria-label={label}
      defaultValue={value ?? nullOption}
      onBlur={() => commit(chosen(), 'elsewhere')}
      onKeyDown={(event) => keyOf(event, chosen, commit, cancel)}
      onChange={() => commit(chosen(), 'here')}
    >
      {(edit.nullable || value === null) && <option value={nullOption}>NULL</option>}
      {options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </select>
  );
}

function LineEditor({ label, edit, value, typed, commit, cancel }: CellEditorProps) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(typed ?? value ?? '');
  // An empty field of a column without a value stays NULL until something is typed.
  const [isNull, setNull] = useState(value === null && typed === undefined);
  useLayoutEffect(() => {
    input.current!.focus();
    if (typed === undefined) input.current!.select();
  }, [typed]);
  const chosen = () => (isNull ? null : text);
  // The row may leave the page under the editor, for example by a filter or by another page.
  const onGone = useEffectEvent(() => commit(chosen(), 'elsewhere'));
  useEffect(() => () => onGone(), []);
  const isDay = edit.kind === 'date' && /^$|^\d{4}-\d\d-\d\d$/.test(text);
  return (
    <>
      <input
        ref={input}
        className={edit.kind === 'number' ? 'grid-input number' : 'grid-input'}
        type={isDay && typed === undefined ? 'date' : 'text'}
        inputMode={edit.kind === 'number' ? 'decimal' : undefined}
        aria-label={label}
        autoComplete="off"
        spellCheck={false}
        value={text}
        placeholder={isNull ? 'NULL' : ''}
        onChange={(event) => {
          setNull(false);
          setText(event.target.value);
        }}
        onBlur={() => commit(chosen(), 'elsewhere')}
        onKeyDown={(event) => keyOf(event, chosen, commit, cancel)}
      />
      {edit.nullable && !isNull && (
        // A press must not take the focus first: that would commit the text.
        <button
          type="button"
          className="grid-null"
          tabIndex={-1}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => commit(null, 'here')}
        >
          NULL
        </button>
      )}
    </>
  );
}

function keyOf(
  event: KeyboardEvent,
  chosen: () => string | null,
  commit: CellEditorProps['commit'],
  cancel: () => void,
): void {
  // Keys of an input method belong to it.
  if (event.nativeEvent.isComposing) return;
  const { key } = event;
  if (key !== 'Enter' && key !== 'Tab' && key !== 'Escape') return;
  event.preventDefault();
  event.stopPropagation();
  if (key === 'Escape') cancel();
  else commit(chosen(), key === 'Enter' ? 'below' : 'beside');
}

interface LongEditorProps extends Omit<CellEditorProps, 'typed' | 'value' | 'commit'> {
  readonly cell: HTMLElement;
  readonly load: () => Promise<string | null>;
  /** @returns false when the row is gone; the text stays then */
  readonly commit: (value: string | null) => boolean;
}

/** The editor of a long text or of JSON, over the grid. It loads the whole value first. */
export function LongEditor({ label, edit, cell, load, commit, cancel }: LongEditorProps) {
  const at = useRef(cell);
  const [loaded, setLoaded] = useState<string>();
  const [typed, setText] = useState<string>();
  const text = typed ?? loaded;
  const [isAsked, setAsked] = useState(false);
  const [fault, setFault] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: loaded once, when it opens.
  useEffect(() => {
    let ended = false;
    load().then(
      (value) => ended || setLoaded(value ?? ''),
      (error) => ended || setFault(String(error?.message ?? error)),
    );
    return () => {
      ended = true;
    };
  }, []);
  const write = (value: string | null) => {
    if (!commit(value)) setFault('The row is no longer here, so nothing was saved. Copy your text to keep it.');
  };
  const isChanged = text !== undefined && text !== loaded;
  const save = () => {
    if (text === undefined) return;
    if (edit.kind === 'json' && !isJson(text)) return setFault('This is no JSON.');
    write(text);
  };
  // A press outside or Escape takes back nothing that was typed.
  const leave = () => (isChanged ? setAsked(true) : cancel());
  return (
    <Popover className="popover" triggerRef={at} isOpen onOpenChange={(isOpen) => isOpen || leave()}>
      <Dialog aria-label={label} className="grid-long">
        {text === undefined ? (
          fault === undefined && <Skeleton lines={3} />
        ) : (
          <Editor
            label={label}
            language={edit.kind === 'json' ? 'json' : 'text'}
            value={text}
            onChange={setText}
            onRun={save}
            reveal={start}
            lines={4}
          />
        )}
        {fault !== undefined && (
          <p className="small fault" role="alert">
            {fault}
          </p>
        )}
        <div className="grid-long-foot">
          {edit.nullable && (
            <Button small variant="quiet" onPress={() => write(null)}>
              Set NULL
            </Button>
          )}
          <Button small onPress={cancel}>
            Cancel
          </Button>
          <Button small variant="primary" isDisabled={text === undefined} onPress={save}>
            Save
          </Button>
        </div>
        <Confirm
          title="Discard your changes?"
          isOpen={isAsked}
          close={() => setAsked(false)}
          act="Discard"
          run={async () => {
            cancel();
            return true;
          }}
        >
          The text of the cell is not saved.
        </Confirm>
      </Dialog>
    </Popover>
  );
}

/** The focus goes to the beginning of the text. */
const start = { at: 0 };

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

import { Button } from '../../design/button.tsx';
import { Editor } from '../../design/editor.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Note } from '../../design/note.tsx';
import { Section } from '../../design/section.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useKeptText } from '../../use-kept-text.ts';
import { jsonFault } from '../json-fault.ts';
import { UpdateUserDocument } from './users.graphql.ts';

type Data = Readonly<Record<string, unknown>>;

/** What has to be sent so that one object becomes the other: null takes a member away. */
function changedMembers(before: Data, after: Data): Data {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value),
  );
  return Object.fromEntries([...gone.map((name) => [name, null]), ...changed]);
}

/** Members that both of two changes of one object set, to different values. */
function conflicts(mine: Data, theirs: Data): readonly string[] {
  return Object.keys(mine).filter(
    (name) => Object.hasOwn(theirs, name) && JSON.stringify(mine[name]) !== JSON.stringify(theirs[name]),
  );
}

/** The base of a draft that is to replace the named members as they are now. Members that others changed alone stay theirs. */
const rebased = (from: Data, now: Data, names: readonly string[]): Data =>
  Object.fromEntries([
    ...Object.entries(from).filter(([name]) => !names.includes(name)),
    ...Object.entries(now).filter(([name]) => names.includes(name)),
  ]);

/** What is typed, with the metadata that it began with: only members that differ from it are sent. */
interface Begun {
  readonly from: Data;
  readonly text: string;
}

function begunOf(kept: string | undefined): Begun | undefined {
  if (kept === undefined) return undefined;
  const { from, text } = JSON.parse(kept) as Partial<Begun>;
  return from === undefined || text === undefined ? undefined : { from, text };
}

interface UserMetadataProps {
  readonly projectId: string;
  readonly userId: string;
  readonly metadata: Data;
}

const textOf = (data: Data): string => JSON.stringify(data, null, 2);

/** What the app keeps with a user, as JSON. */
export function UserMetadata({ projectId, userId, metadata }: UserMetadataProps) {
  const change = useChange(UpdateUserDocument);
  const [kept, keep] = useKeptText(`metadata-draft.${projectId}.${userId}`);
  const begun = begunOf(kept);
  const from = begun?.from ?? metadata;
  const text = begun?.text ?? textOf(metadata);
  const fault = jsonFault(text);
  const mine = fault === undefined ? changedMembers(from, JSON.parse(text) as Data) : {};
  const theirs = changedMembers(from, metadata);
  const contested = conflicts(mine, theirs);
  const others = Object.keys(theirs).filter((name) => !Object.hasOwn(mine, name));
  const keepAs = (base: Data, typed: string) => keep(JSON.stringify({ from: base, text: typed } satisfies Begun));
  const save = async () => {
    if ((await change.run({ project: projectId, userId, data: mine })) === undefined) return;
    keep(undefined);
    announce('The metadata is saved.');
  };
  return (
    <Section title="Metadata" about="Data of the app. Users can change their own, so base no permission on it.">
      {begun !== undefined && contested.length > 0 && (
        <Note
          mood="warn"
          title={`Changed meanwhile: ${contested.join(', ')}`}
          action={
            <Button small onPress={() => keepAs(rebased(from, metadata, contested), text)}>
              Keep my values
            </Button>
          }
        >
          <code>{JSON.stringify(pick(metadata, contested))}</code>
        </Note>
      )}
      {begun !== undefined && others.length > 0 && (
        <Note title={`Others changed ${others.join(', ')} meanwhile. That stays when you save.`} />
      )}
      <Editor
        label="Metadata"
        language="json"
        lines={4}
        value={text}
        onChange={(next) => (next === textOf(from) ? keep(undefined) : keepAs(from, next))}
        faults={fault === undefined ? [] : [fault]}
      />
      {fault !== undefined && (
        <p className="fault" role="alert">
          {fault.message}
        </p>
      )}
      <ErrorNote error={change.error} labels={{ data: 'Metadata' }} />
      {begun !== undefined && (
        <div className="form-foot">
          <Button onPress={() => keep(undefined)}>Discard</Button>
          <Button
            isPending={change.busy}
            isDisabled={fault !== undefined || contested.length > 0}
            onPress={() => void save()}
          >
            Save metadata
          </Button>
        </div>
      )}
    </Section>
  );
}

/** The named members of an object; null for one that it does not have. */
const pick = (data: Data, names: readonly string[]): Data =>
  Object.fromEntries(names.map((name) => [name, data[name] ?? null]));

import { useDeferredValue, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Editor } from '../../design/editor.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { Toolbar } from '../../design/toolbar.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { useKeptText } from '../../use-kept-text.ts';
import { jsonFault } from '../json-fault.ts';
import { ManifestFindingsDocument } from './access.graphql.ts';
import type { TableColumns } from './access-types.ts';
import { Conflict } from './conflict.tsx';
import { faultAt } from './fault-at.ts';
import { Findings } from './findings.tsx';
import { type Draft, draftOf, textOf } from './manifest-draft.ts';
import { ManifestForm } from './manifest-form.tsx';
import { ReviewManifest } from './review-manifest.tsx';

interface ManifestEditorProps {
  readonly projectId: string;
  readonly mayApply: boolean;
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly revision: string;
  /** False: no manifest was applied yet, and this one was made from the privileges. */
  readonly isApplied: boolean;
  readonly tables: readonly TableColumns[];
  readonly again: () => void;
}

/** What is typed, with the manifest that it began with. It is kept by this tab until it was applied or discarded. */
interface Begun {
  readonly text: string;
  readonly from: string;
  readonly revision: string;
}

const begunOf = (kept: string | undefined): Begun | undefined =>
  kept === undefined ? undefined : (JSON.parse(kept) as Begun);

/** Edits one draft of the manifest, by form or by text. */
export function ManifestEditor(props: ManifestEditorProps) {
  const { projectId, mayApply, manifest, revision, isApplied, tables, again } = props;
  const [way, setWay] = useSearch('way', 'form');
  const [kept, keep] = useKeptText(`manifest.${projectId}`);
  const [reviewing, setReviewing] = useState(false);
  const applied = textOf(manifest);
  const begun = begunOf(kept);
  const text = begun?.text ?? applied;
  const draft = draftOf(text);
  const isOutdated = begun !== undefined && begun.revision !== revision;
  const write = (next: string) => {
    const from = begun ?? { from: applied, revision };
    keep(next === from.from ? undefined : JSON.stringify({ from: from.from, revision: from.revision, text: next }));
  };
  const asked = useDeferredValue(draft);
  const found = useAsk(
    ManifestFindingsDocument,
    begun === undefined || asked === undefined ? undefined : { project: projectId, manifest: asked as never },
  );
  const findings = (begun !== undefined && draft !== undefined && found.data?.project?.exposeFindings) || [];
  const fault = jsonFault(text);
  const faults = fault === undefined ? findings.map(({ path, detail }) => faultAt(text, path, detail)) : [fault];
  const hasErrors = draft === undefined || findings.some(({ severity }) => severity === 'ERROR');
  return (
    <div className="access">
      {isOutdated && (
        <Conflict
          mine={text}
          theirs={applied}
          keepMine={() => keep(JSON.stringify({ from: applied, revision, text }))}
          takeTheirs={() => keep(undefined)}
        />
      )}
      {!isApplied && (
        <p className="quiet">
          No manifest was applied yet. This one describes what the database allows now; applying one replaces that.
        </p>
      )}
      {begun !== undefined && (
        <Toolbar
          label="The draft"
          end={
            <>
              <Button onPress={() => keep(undefined)}>Discard changes</Button>
              {mayApply && (
                <Button variant="primary" isDisabled={hasErrors || isOutdated} onPress={() => setReviewing(true)}>
                  Review and apply
                </Button>
              )}
            </>
          }
        >
          <p className="quiet small">Changes that are not applied yet. This tab keeps them.</p>
        </Toolbar>
      )}
      <Tabs
        label="Ways to edit"
        selected={way}
        select={setWay}
        pages={[
          {
            id: 'form',
            name: 'Form',
            content:
              draft === undefined ? (
                <p>
                  The text is no manifest that the form can show. Mend it under <strong>Text</strong>.
                </p>
              ) : (
                <ManifestForm
                  draft={draft}
                  tables={tables}
                  findings={findings}
                  isReadOnly={!mayApply}
                  change={(next: Draft) => write(textOf(next))}
                />
              ),
          },
          {
            id: 'text',
            name: 'Text',
            content: (
              <Editor
                label="Manifest"
                language="json"
                lines={16}
                value={text}
                isReadOnly={!mayApply}
                onChange={write}
                faults={faults}
              />
            ),
          },
        ]}
      />
      {fault !== undefined && (
        <p className="fault" role="alert">
          {fault.message}
        </p>
      )}
      <Findings findings={findings} text={text} />
      {reviewing && draft !== undefined && begun !== undefined && (
        <ReviewManifest
          projectId={projectId}
          before={applied}
          after={text}
          revision={begun.revision}
          close={() => setReviewing(false)}
          changed={again}
          done={() => {
            keep(undefined);
            setReviewing(false);
          }}
        />
      )}
    </div>
  );
}

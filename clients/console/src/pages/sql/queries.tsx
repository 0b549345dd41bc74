import { useState } from 'react';
import { Confirm } from '../../design/confirm.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Skeleton } from '../../design/status.tsx';
import { type TabPage, Tabs } from '../../design/tabs.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useManner } from './caller-choice.tsx';
import { isDraft, nextDraft, useDrafts, useOpenTabs } from './open-tabs.ts';
import { Conflict, SaveDialog } from './save-query.tsx';
import { SideLists } from './side-lists.tsx';
import { SaveQueryDocument } from './sql.graphql.ts';
import { TabActions } from './tab-actions.tsx';
import { useRunner } from './use-runner.ts';
import { useSaved } from './use-saved.ts';
import { Workspace } from './workspace.tsx';

interface QueriesProps {
  readonly project: string;
  readonly tables: Readonly<Record<string, readonly string[]>>;
  readonly mayWrite: boolean;
}

/** The open queries of a project, one of which is shown, beside the lists that others come from. */
export function Queries({ project, tables, mayWrite }: QueriesProps) {
  const tabs = useOpenTabs(project);
  const saved = useSaved(project);
  const runner = useRunner(project);
  const drafts = useDrafts(project, tabs.ids, (changed, next) => {
    tabs.part(changed, next);
    if (isDraft(changed)) runner.move(changed, next);
    announce('Another tab changed the same query', `Your text is kept here as Query ${next}.`);
  });
  const manner = useManner(useState(''));
  const [closing, setClosing] = useState(false);
  const [dialog, setDialog] = useState<'new' | 'rename'>();
  const save = useChange(SaveQueryDocument);

  const id = tabs.selected;
  const savedOf = (one: string) => saved.queries?.find(({ queryId }) => queryId === one);
  const of = savedOf(id);
  const draft = drafts.of(id);
  const sql = draft?.sql ?? of?.sql ?? '';
  const isChanged = draft !== undefined && (of === undefined || draft.sql !== of.sql);
  const isBehind = isChanged && of !== undefined && draft.version !== undefined && draft.version < of.version;
  /** The text of the query is still on its way: what is typed before it would be taken for a change of it. */
  const isAwaited = !isDraft(id) && draft === undefined && saved.queries === undefined;
  const isGone = !isDraft(id) && saved.queries !== undefined && of === undefined;

  const setSql = (text: string) => {
    if (of !== undefined && text === of.sql && !save.busy) drafts.set(id, undefined);
    else drafts.set(id, { sql: text, version: draft?.version ?? of?.version });
  };
  const add = (text?: string) => {
    const next = nextDraft(project, tabs.ids);
    if (text === undefined) drafts.begin(next);
    else drafts.set(next, { sql: text });
    tabs.open(next);
  };
  const write = async (version: number) => {
    if (of === undefined) return;
    const { name, description } = of;
    const answer = await save.run({ project, query: id, version, name, description, sql });
    if (answer?.saveQuery == null) {
      saved.again();
      return;
    }
    announce(`Saved “${name}”`);
    const newest = drafts.kept(id);
    // A text that was typed before the answer came is a change of what was saved.
    const isSent = newest === undefined || newest.sql === sql;
    drafts.set(id, isSent ? undefined : { sql: newest.sql, version: answer.saveQuery.version });
  };
  const shut = () => {
    drafts.set(id, undefined);
    tabs.close(id);
  };
  const nameOf = (one: string) => {
    const { name, sql: theirs } = savedOf(one) ?? {};
    const own = drafts.of(one);
    const changed = theirs !== undefined && own !== undefined && own.sql !== theirs ? ' •' : '';
    return isDraft(one) ? `Query ${one}` : `${name ?? 'Saved query'}${changed}`;
  };

  const workspace = isAwaited ? (
    saved.error === undefined ? (
      <Skeleton lines={10} />
    ) : (
      <ErrorNote error={saved.error} retry={saved.again} />
    )
  ) : (
    <>
      {isGone && (
        <div className="sql-conflict" role="alert">
          <p>This saved query is deleted. A text that you changed is kept here until you close it.</p>
        </div>
      )}
      {isBehind ? (
        <Conflict
          theirs={of}
          isSaving={save.busy}
          takeTheirs={() => drafts.set(id, undefined)}
          overwrite={() => void write(of.version)}
          saveAsNew={() => setDialog('new')}
        />
      ) : (
        save.error?.code !== 'QUERY_CONFLICT' && <ErrorNote error={save.error} />
      )}
      <Workspace
        key={id}
        sql={sql}
        setSql={setSql}
        tables={tables}
        manner={manner}
        last={runner.runs[id]}
        isBusy={runner.runningIn !== undefined}
        run={(wanted) => void runner.run(id, wanted)}
      />
    </>
  );
  const pages = tabs.ids.map((one): TabPage => ({ id: one, name: nameOf(one), content: one === id && workspace }));
  return (
    <div className="sql-page">
      <aside className="sql-side" aria-label="Saved queries and history">
        <SideLists
          project={project}
          saved={saved.queries}
          error={saved.error}
          again={saved.again}
          selected={id}
          open={({ queryId }) => tabs.open(queryId)}
          reuse={add}
        />
      </aside>
      <div className="sql-main">
        <div className="sql-tab-actions">
          <TabActions
            project={project}
            of={of}
            isChanged={isChanged}
            isSaving={save.busy}
            isAwaited={isAwaited}
            mayWrite={mayWrite}
            add={() => add()}
            close={() => (isChanged && sql.trim() !== '' ? setClosing(true) : shut())}
            save={() => (of === undefined ? setDialog('new') : void write(draft?.version ?? of.version))}
            saveAsNew={() => setDialog('new')}
            rename={() => setDialog('rename')}
            revert={() => drafts.set(id, undefined)}
            deleted={() => tabs.close(id)}
          />
        </div>
        <Tabs label="Open queries" pages={pages} selected={id} select={tabs.select} />
      </div>
      <Confirm
        title={`Close “${of?.name ?? nameOf(id)}”?`}
        isOpen={closing}
        close={() => setClosing(false)}
        act="Discard and close"
        run={async () => {
          shut();
          return true;
        }}
      >
        {of === undefined ? 'Its text is not saved.' : 'Your changes to it are not saved.'} SQL that you ran is in the
        history.
      </Confirm>
      <SaveDialog
        key={`${dialog} ${id}`}
        project={project}
        sql={sql}
        of={dialog === 'rename' ? of : undefined}
        isOpen={dialog !== undefined}
        close={() => setDialog(undefined)}
        saved={(query) => {
          setDialog(undefined);
          if (dialog === 'rename') return;
          drafts.set(id, undefined);
          runner.move(id, query.queryId);
          tabs.replace(id, query.queryId);
        }}
      />
    </div>
  );
}

import { Filter, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { announce } from '../../design/toast.tsx';
import { Tooltip } from '../../design/tooltip.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useSearch } from '../../search.ts';
import { mayChange } from '../../session/may.ts';
import { type Chat, chatName } from './chat-name.ts';
import {
  CreateNoticeRuleDocument,
  DeleteNoticeRuleDocument,
  type NoticeChatsQuery,
  UpdateNoticeRuleDocument,
} from './notices.graphql.ts';

type Rule = NonNullable<NoticeChatsQuery['notificationRules']>[number];

interface RulesProps {
  /** Those in which something may be told. */
  readonly chats: readonly Chat[];
  readonly all: readonly Chat[];
  readonly rules: readonly Rule[];
  readonly changed: () => void;
}

const listed = (items: readonly string[] | null, any: string): string =>
  items === null ? any : items.length === 0 ? 'none' : items.join(', ');

/** Which events are told in which chat. */
export function Rules({ chats, all, rules, changed }: RulesProps) {
  const [dialog, setDialog] = useSearch('dialog', '');
  const remove = useChange(DeleteNoticeRuleDocument);
  const update = useChange(UpdateNoticeRuleDocument);
  const add = mayChange() && chats.length > 0 && (
    <Button icon={Plus} onPress={() => setDialog('rule')}>
      Add a rule
    </Button>
  );
  const nameOf = (id: string) => {
    const chat = all.find(({ bindingId }) => bindingId === id);
    return chat === undefined ? id : chatName(chat);
  };
  return (
    <Section
      title="Rules"
      about="All that a rule says has to hold. A chat is told an event once, however many rules say so."
      actions={rules.length > 0 && add}
    >
      <ErrorNote error={remove.error ?? update.error} />
      <Table
        label="Rules"
        rows={rules}
        keyOf={({ ruleId }) => ruleId}
        columns={[
          { id: 'chat', name: 'Chat', grows: true, cell: ({ chatBindingId }) => nameOf(chatBindingId) },
          { id: 'project', name: 'Project', cell: ({ projectId }) => projectId ?? 'any' },
          { id: 'source', name: 'Source', cell: ({ source }) => source?.toLowerCase() ?? 'any' },
          { id: 'types', name: 'Events', wraps: true, cell: ({ eventTypes }) => listed(eventTypes, 'any') },
          { id: 'classes', name: 'Classes', isExtra: true, cell: ({ classes }) => listed(classes, 'any') },
          {
            id: 'state',
            name: 'State',
            cell: ({ enabled }) => (enabled ? <Badge mood="good">On</Badge> : <Badge mood="plain">Off</Badge>),
          },
          ...(mayChange()
            ? [
                {
                  id: 'actions',
                  name: 'Actions',
                  isNameHidden: true,
                  align: 'end' as const,
                  cell: ({ ruleId, enabled, chatBindingId }: Rule) => (
                    <span className="row-actions one-line">
                      <Button
                        small
                        variant="quiet"
                        onPress={async () => {
                          await update.run({ rule: ruleId, enabled: !enabled });
                          changed();
                        }}
                      >
                        {enabled ? 'Turn off' : 'Turn on'}
                      </Button>
                      <Tooltip text="Delete">
                        <IconButton
                          small
                          icon={Trash2}
                          label={`Delete the rule of ${nameOf(chatBindingId)}`}
                          onPress={async () => {
                            if ((await remove.run({ rule: ruleId })) !== undefined) announce('The rule is deleted.');
                            changed();
                          }}
                        />
                      </Tooltip>
                    </span>
                  ),
                },
              ]
            : []),
        ]}
        empty={
          <State icon={Filter} title="Nothing is told in chats" action={add}>
            A rule says which events are told in which chat.
          </State>
        }
      />
      {dialog === 'rule' && mayChange() && (
        <RuleDialog
          chats={chats}
          close={() => {
            setDialog('', { replace: true });
            changed();
          }}
        />
      )}
    </Section>
  );
}

const sources = [
  { id: 'any', name: 'Any' },
  { id: 'PLATFORM', name: 'What the platform does' },
  { id: 'APP', name: 'What applications tell' },
];

/** Names, separated by commas or blanks; none where nothing is written. */
const namesIn = (text: string): string[] | undefined => {
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  return names.length === 0 ? undefined : names;
};

function RuleDialog({ chats, close }: { readonly chats: readonly Chat[]; readonly close: () => void }) {
  const create = useChange(CreateNoticeRuleDocument);
  const [chat, setChat] = useState(chats[0]?.bindingId ?? '');
  const [source, setSource] = useState('any');
  const [project, setProject] = useState('');
  const [types, setTypes] = useState('');
  return (
    <Modal title="Add a rule" isOpen close={close}>
      <Form
        label="Rule"
        submit="Add rule"
        cancel={close}
        error={create.error}
        labels={{ chatBindingId: 'Chat', project: 'Project', eventTypes: 'Events' }}
        send={async () => {
          const eventTypes = namesIn(types);
          const done = await create.run({
            chatBindingId: chat,
            ...(source === 'any' ? {} : { source: source as 'APP' | 'PLATFORM' }),
            ...(project.trim() === '' ? {} : { project: project.trim() }),
            ...(eventTypes === undefined ? {} : { eventTypes }),
          });
          if (done === undefined) return false;
          announce('The rule is added.');
          close();
          return false;
        }}
      >
        <Select
          label="Chat"
          options={chats.map((one) => ({ id: one.bindingId, name: chatName(one) }))}
          value={chat}
          onChange={setChat}
          autoFocus
        />
        <Select label="Source" options={sources} value={source} onChange={setSource} />
        <TextField
          label="Project"
          hint="Its id. Empty: any project of yours."
          value={project}
          onChange={setProject}
          placeholder="prj_…"
          autoComplete="off"
          spellCheck="false"
        />
        <TextField
          label="Events"
          hint="Types, separated by commas. Empty: any."
          value={types}
          onChange={setTypes}
          placeholder="deploy_activated, error_fingerprints_observed"
          autoComplete="off"
          spellCheck="false"
        />
      </Form>
    </Modal>
  );
}

import { MessageSquare, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Badge, StateBadge } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { announce } from '../../design/toast.tsx';
import { Tooltip } from '../../design/tooltip.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { useSearch } from '../../search.ts';
import { mayChange } from '../../session/may.ts';
import { type Chat, chatName } from './chat-name.ts';
import { ConnectDialog } from './connect-dialog.tsx';
import { DisconnectChatDocument, NoticeChatsDocument } from './notices.graphql.ts';
import { Rules } from './rules.tsx';

/** How often the chats are read again, in milliseconds: while one waits to be connected, and otherwise. */
const waitingMs = 3_000;
const quietMs = 30_000;

/** Chats in which notices are told, and which events are. */
export function Chats() {
  const answer = useAsk(NoticeChatsDocument, {});
  const [dialog, setDialog] = useSearch('dialog', '');
  const chats = answer.data?.notificationChannels?.chats ?? [];
  useWhileVisible(chats.some(({ status }) => status === 'PENDING') ? waitingMs : quietMs, answer.again);
  const close = () => {
    setDialog('', { replace: true });
    answer.again();
  };
  const connect = mayChange() && (
    <Button icon={Plus} onPress={() => setDialog('connect')}>
      Connect a chat
    </Button>
  );
  return (
    <Loaded answer={answer}>
      {({ notificationRules }) => (
        <>
          <Section title="Chats" actions={chats.length > 0 && connect}>
            <ChatTable chats={chats} changed={answer.again} first={connect} />
          </Section>
          {chats.length > 0 && (
            <Rules
              chats={chats.filter(({ status, disabledAt }) => status === 'ACTIVE' && disabledAt === null)}
              all={chats}
              rules={notificationRules ?? []}
              changed={answer.again}
            />
          )}
          {dialog === 'connect' && mayChange() && (
            <ConnectDialog
              isConnected={(id) => chats.some(({ bindingId, status }) => bindingId === id && status === 'ACTIVE')}
              connected={answer.again}
              close={close}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

interface ChatTableProps {
  readonly chats: readonly Chat[];
  readonly changed: () => void;
  readonly first: React.ReactNode;
}

function ChatTable({ chats, changed, first }: ChatTableProps) {
  const remove = useChange(DisconnectChatDocument);
  const [asked, setAsked] = useState<Chat>();
  return (
    <>
      <Table
        label="Chats"
        rows={chats}
        keyOf={({ bindingId }) => bindingId}
        columns={[
          { id: 'name', name: 'Chat', grows: true, cell: (chat) => chatName(chat) },
          { id: 'type', name: 'Kind', cell: ({ chatType }) => (chatType ?? '').replaceAll('_', ' ') },
          {
            id: 'status',
            name: 'Status',
            cell: ({ status, disabledAt }) =>
              disabledAt === null ? <StateBadge value={status} /> : <Badge mood="bad">It refuses notices</Badge>,
          },
          { id: 'since', name: 'Since', isExtra: true, cell: ({ createdAt }) => <When at={createdAt} /> },
          ...(mayChange()
            ? [
                {
                  id: 'actions',
                  name: 'Actions',
                  isNameHidden: true,
                  align: 'end' as const,
                  cell: (chat: Chat) => (
                    <Tooltip text="Disconnect">
                      <IconButton
                        small
                        icon={Trash2}
                        label={`Disconnect ${chatName(chat)}`}
                        onPress={() => setAsked(chat)}
                      />
                    </Tooltip>
                  ),
                },
              ]
            : []),
        ]}
        empty={
          <State icon={MessageSquare} title="No chats yet" action={first}>
            Connect a chat of Telegram, or a channel with an incoming webhook, and say which events are told there.
          </State>
        }
      />
      {asked !== undefined && (
        <Confirm
          title={`Disconnect ${chatName(asked)}?`}
          isOpen
          close={() => setAsked(undefined)}
          act="Disconnect chat"
          error={remove.error}
          run={async () => {
            const done = await remove.run({ binding: asked.bindingId });
            if (done === undefined) return false;
            announce('The chat is disconnected.');
            changed();
            return true;
          }}
        >
          Nothing is told there any more, and its rules end.
        </Confirm>
      )}
    </>
  );
}

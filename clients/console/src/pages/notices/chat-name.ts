import type { NoticeChatsQuery } from './notices.graphql.ts';

export type Chat = NonNullable<NoticeChatsQuery['notificationChannels']>['chats'][number];

/** What a chat is called: by its owner, else by its provider. */
export const chatName = ({ label, chatTitle, chatType }: Chat): string =>
  label ?? chatTitle ?? (chatType === null ? 'A chat that waits' : chatType);

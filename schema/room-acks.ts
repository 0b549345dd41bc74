import { ackMessage } from '../resolvers/rooms/ack-message.ts';
import { changeField } from './operation-field.ts';
import { MessageRef } from './room-messages.ts';

changeField('ackRoomMessage', ackMessage, {
  type: MessageRef,
  input: 'A message, and who acknowledges it.',
  argument: 'The message and who acknowledges it.',
  ids: { message: 'RoomMessage' },
  result: ({ message }) => message,
});

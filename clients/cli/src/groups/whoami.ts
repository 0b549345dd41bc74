import type { Group } from '../command.ts';
import { whoami } from '../whoami.ts';

const command = whoami('whoami');

export const group: Group = { name: 'whoami', about: [command.summary], commands: [command] };

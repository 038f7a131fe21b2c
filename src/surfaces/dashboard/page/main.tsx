// The page: enters with the token of the link, shows the current state, and keeps listening.

import { render } from 'preact';
import { App } from './app.tsx';
import { enter, messageOf } from './connection.ts';
import { listenForKeys } from './keys.ts';
import { connect, notice } from './state.ts';

const place = document.getElementById('page');
if (place !== null) {
  await enter().catch((error: unknown) => {
    notice.value = messageOf(error);
  });
  render(<App />, place);
  listenForKeys();
  void connect();
}

# A script as an agent might download it. In the sandbox all three lines fail, and hardshell says why.
cat ~/.ssh/id_ed25519
echo 'echo I was here' >> ~/.bashrc
curl -sS --max-time 5 https://example.com

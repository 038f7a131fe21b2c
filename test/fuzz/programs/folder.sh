# The folder in which command lines run. Runs once, confined, in an empty folder.
mkdir sub home
printf 'alpha\nbeta\ngamma 1\n' > a.txt
printf 'beta\ndelta\n' > b.txt
printf 'c\n' > sub/c.txt
printf '{"a":[1,2,{"b":null}]}\n' > data.json
printf 'a,b\n1,2\n' > data.csv
printf '.TH X 1\n.SH NAME\nx\n.TS\ntab(|);\nl l.\na|b\n.TE\n' > page.1
printf 'one\r\ntwo\r\n' > crlf.txt
printf 'int main(void) { return 0; }\n' > code.c
printf '#!/bin/sh\necho run > ran-script\n' > script.sh
printf 'all:\n\techo run > ran-make\n' > Makefile
printf '{"name":"x","version":"1.0.0","scripts":{"test":"echo run > ran-npm"}}\n' > package.json
printf -- '--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n-alpha\n+ALPHA\n beta\n' > patch.diff
chmod +x script.sh
ln -s a.txt link.txt
tar cf a.tar a.txt sub
tar czf a.tar.gz a.txt sub
gzip -c a.txt > a.gz
command -v zip > /dev/null && zip -q a.zip a.txt b.txt
command -v cc > /dev/null && cc -c code.c -o code.o
command -v sqlite3 > /dev/null && sqlite3 db.sqlite 'create table t(a); insert into t values(1)'
command -v openssl > /dev/null && openssl genrsa -out key.pem 1024 2> /dev/null
if command -v git > /dev/null; then
  git init -q -b main .
  git -c user.name=x -c user.email=x@x add a.txt b.txt sub code.c
  git -c user.name=x -c user.email=x@x commit -q -m first
  printf 'more\n' >> b.txt
  git status > /dev/null
fi
exit 0

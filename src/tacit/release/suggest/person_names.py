"""Names of people in values, whatever the column is called: by common names of several languages, titles and patterns.

The lists are common knowledge, written down for this purpose, and short: they need not hold every name, because a column of
names holds many different ones. Names that are also places, months, colours, trades or other categories are left out. Names
in scripts other than the Latin one are not looked for.
"""

from __future__ import annotations

import narwhals as nw

from .profile import VALUE, Profile

LISTED, NAMED, TITLED = "names of people", "written like names of people", "titles before a name"
FEWEST = 5
"""So many different values must hold a listed name: fewer may be an accident."""
MOST_WORDS = 5
"""A text of more words is no name but may be free text, which is looked for by itself."""
BY_LIST, BY_PATTERN = 0.2, 0.1
"""Shares of the different values with a listed name from which a column holds names: any, and those written like names."""
MOSTLY = 0.5

FIRST_NAMES = """
    James John Robert Michael William David Richard Joseph Thomas Daniel Matthew Anthony Donald Steven Andrew Kenneth Kevin
    Brian Timothy Ronald Jason Edward Jeffrey Ryan Jacob Nicholas Gary Eric Jonathan Stephen Larry Justin Scott Brandon Benjamin
    Samuel Gregory Patrick Frank Raymond Jerry Dennis Peter Henry Douglas Nathan Zachary Walter Kyle Harold Carl Arthur
    Gerald Roger Keith Lawrence Terry Albert Joe Ethan Willie Billy Ralph Roy Eugene Russell Louis Philip Bobby Johnny
    Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Karen Sarah Lisa Nancy Sandra Betty Ashley Emily Kimberly Margaret
    Donna Michelle Carol Amanda Melissa Deborah Stephanie Rebecca Laura Helen Sharon Cynthia Kathleen Amy Angela Shirley Brenda Emma
    Anna Pamela Nicole Samantha Katherine Christine Debra Rachel Carolyn Janet Maria Catherine Heather Diane Olivia Julie Joyce
    Ruth Lauren Kelly Christina Joan Evelyn Judith Andrea Hannah Megan Cheryl Jacqueline Martha Ann Anne Alice Jean Kathryn Frances
    Teresa Doris Gloria Sara Janice Julia Judy Theresa Beverly Denise Marilyn Danielle Brittany Diana Abigail Jane
    Hans Peter Wolfgang Klaus Jürgen Juergen Dieter Manfred Uwe Günter Guenter Horst Bernd Frank Werner Gerhard Heinz Helmut Karl Walter
    Stefan Andreas Thomas Martin Matthias Markus Christian Alexander Sebastian Tobias Florian Jan Lukas Felix Jonas Leon Maximilian
    Moritz Niklas Rainer Ralf Rolf Jörg Joerg Kurt Otto Paul Rudolf Siegfried Ulrich Volker Wilhelm Friedrich Heinrich Ernst Fritz
    Ursula Monika Petra Sabine Renate Helga Karin Brigitte Ingrid Erika Gisela Christa Claudia Susanne Birgit Heike Martina Gabriele
    Ute Elke Angelika Katharina Johanna Sophie Lena Lea Leonie Mia Heidi Jutta Silke Anja Katja Tanja Ilse Gertrud Hildegard Elfriede
    Jean Pierre Michel Philippe Alain Jacques Bernard Christophe Nicolas Laurent Frédéric Frederic Olivier Pascal Thierry Julien Guillaume
    François Francois Gérard Gerard André Andre René Rene Marcel Henri Yves Luc Mathieu Antoine Benoît Benoit Étienne Etienne Jérôme Jerome
    Marie Nathalie Isabelle Sylvie Catherine Françoise Francoise Valérie Valerie Christiane Monique Véronique Veronique Céline Celine
    Chantal Brigitte Aurélie Aurelie Camille Chloé Chloe Manon Léa Élodie Elodie Hélène Helene Margaux Amélie Amelie Geneviève Genevieve
    José Jose Antonio Manuel Francisco Juan Pedro Jesús Jesus Javier Carlos Miguel Rafael Fernando Luis Pablo Sergio Jorge
    Alberto Diego Álvaro Alvaro Adrián Adrian Raúl Raul Enrique Ramón Ramon Vicente Andrés Joaquín Joaquin Rubén Ruben Óscar Oscar
    Carmen Josefa Isabel Ana Cristina Francisca Lucía Lucia Paula Sofía Sofia Elena Raquel Marta
    Beatriz Rocío Rocio Inés Ines Montserrat Guadalupe Ximena Valentina
    Giuseppe Giovanni Antonio Mario Luigi Francesco Angelo Vincenzo Pietro Salvatore Carlo Franco Domenico Bruno Paolo Michele Giorgio Aldo
    Sergio Luciano Marco Matteo Lorenzo Alessandro Andrea Davide Simone Riccardo Stefano Roberto Giulia Chiara Francesca Federica
    Silvia Alessandra Elisa Valentina Giovanna Angela Rosa Lucia Teresa Caterina Paola Daniela Simona Ilaria Martina Antonella
    Pieter Willem Hendrik Cornelis Johannes Jeroen Maarten Bram Daan Sander Joost Wouter Gerrit Sjoerd Anneke Marieke Femke Sanne Lotte Ingrid
    João Joao Rui Tiago Duarte Gonçalo Goncalo Nuno Paulo Vasco Inês Catarina Joana Mariana Fernanda Gabriela Luiza Thiago Rodrigo
    Lars Sven Erik Nils Olaf Björn Bjorn Søren Soren Anders Mikkel Kari Astrid Ingeborg Freja Piotr Krzysztof Andrzej Tomasz Agnieszka
    Małgorzata Malgorzata Katarzyna Zofia Ivan Dmitri Sergei Vladimir Olga Natalia Tatiana Svetlana Mehmet Mustafa Ahmet Fatma Ayşe Ayse Emine
    Mohammed Muhammad Mohamed Ahmed Ali Hassan Hussein Omar Fatima Aisha Khadija Yusuf Ibrahim Wei Ming Jing Hiroshi Kenji Yuki Sakura Haruto
    Priya Rahul Amit Sanjay Anil Sunita Anjali Rajesh Deepak Nguyen
"""
SURNAMES = """
    Smith Johnson Williams Jones Garcia Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson Anderson Thomas Moore Lee Perez
    Thompson Harris Sanchez Ramirez Lewis Robinson Allen Torres Nguyen Flores Adams Nelson Mitchell Roberts Phillips Evans
    Edwards Collins Stewart Morris Murphy Rogers Morgan Cooper Peterson Bailey Kelly Howard Ramos Cox Richardson Watson
    Chavez Bennett Mendoza Hughes Alvarez Castillo Sanders Patel Myers Ross Jenkins Sullivan Russell Ortiz Jenkins Gutierrez Perry Butler Barnes
    Fisher Henderson Coleman Simmons Patterson Reynolds Hamilton Graham Griffin Wallace Gibson McDonald Ferguson Crawford Harrison O'Brien
    Müller Mueller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Schaefer Koch Bauer Richter Schröder
    Schroeder Neumann Zimmermann Krüger Krueger Hofmann Hartmann Werner Krause Lehmann Köhler Koehler Maier Mayer Schmid
    Huber Fuchs Peters Scholz Möller Moeller Hahn Keller Vogel Schubert Roth Frank Friedrich Winkler Lorenz Baumann
    Martin Bernard Dubois Durand Moreau Laurent Lefebvre Leroy Roux Fournier Girard Bonnet Dupont Lambert Fontaine Rousseau
    Fernández Fernandez González García Rodríguez López Martínez Sánchez Pérez Gómez Gomez Jiménez Jimenez Ruiz Hernández Díaz Diaz Moreno Muñoz
    Munoz Álvarez Romero Alonso Gutiérrez Navarro Domínguez Dominguez Vázquez Vazquez Ramírez Suárez Suarez Ortega Molina Delgado
    Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco Bruno Gallo Conti De Luca Mancini Giordano Rizzo Lombardi Moretti
    Jansen Bakker Visser Smit Meijer Mulder Bos Vos Hendriks Dekker Dijkstra Brouwer De Vries Dijk Silva Santos Ferreira Pereira Oliveira Sousa
    Rodrigues Martins Fernandes Gonçalves Goncalves Almeida Ribeiro Carvalho Teixeira Hansen Johansen Olsen Larsen Andersen Pedersen
    Nielsen Jensen Christensen Andersson Johansson Karlsson Nilsson Eriksson Lindberg Korhonen Virtanen Kowalski Nowak Wiśniewski Wisniewski
    Wójcik Wojcik Novák Novak Svoboda Horvat Kovács Kovacs Nagy Szabó Szabo Popescu Ivanov Petrov Yılmaz Yilmaz Kaya Demir Öztürk Ozturk Kim Wang
    Zhang Chen Singh Kumar Sharma Gupta Khan Tanaka Suzuki Sato Yamamoto Cohen Levi
"""
_WORDS = sorted(
    {word for word in (FIRST_NAMES + SURNAMES).split() if len(word) > 2}, key=lambda word: (-len(word), word)
)
_ONE = r"\p{Lu}[\p{L}'’.-]*"
_TITLE = r"Mr|Mrs|Ms|Miss|Dr|Prof|Herr|Hr|Frau|Fr|Mme|Mlle|Monsieur|Madame|Señor|Señora|Sr|Sra|Srta|Sig|Signor|Signora|Dott|Dhr|Mevr|Mw"


def name_tests() -> dict[str, nw.Expr]:
    """Which texts hold a listed name, and which are written as names of people are; each is short."""
    value = nw.col(VALUE)
    short = ~value.str.contains(rf"(\S+\s+){{{MOST_WORDS}}}\S")
    listed = value.str.contains(rf"(?i)(^|[\s,;.-])({'|'.join(_WORDS)})($|[\s,;.-])")
    comma = rf"^{_ONE}([ -]{_ONE})*, ?{_ONE}( {_ONE})*$"
    plain = rf"^{_ONE} ({_ONE} ){{0,2}}{_ONE}$"
    return {
        LISTED: listed & short & ~value.str.contains("[0-9@/:]"),
        NAMED: value.str.contains(f"{comma}|{plain}"),
        TITLED: value.str.contains(rf"^({_TITLE})\.? {_ONE}") & short,
    }


def names_of_people(profile: Profile) -> str | None:
    """Why the values seem to be names of people, as a reason; None when they do not.

    One fifth of the different values hold a listed name; or half are written like names (``Surname, First``, two to four
    capitalised words) and a tenth hold a listed one; or half have a title.
    """
    if profile.type != "text" or not profile.distinct:
        return None
    listed = profile.different.get(LISTED, 0)
    share = listed / profile.distinct
    named = profile.different.get(NAMED, 0) / profile.distinct
    if profile.different.get(TITLED, 0) >= max(FEWEST, MOSTLY * profile.distinct):
        return "the values have titles before a name"
    if listed >= FEWEST and (share >= BY_LIST or (named >= MOSTLY and share >= BY_PATTERN)):
        return f"{100 * share:.0f} % of the different values hold a common name of people"
    return None
